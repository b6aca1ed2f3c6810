import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { MIGRATIONS as OF_SANDBOXES } from "../src/db/migrations.ts";
import { send } from "./client.ts";
import { outcome, success } from "./fixtures.ts";
import { faultsOf } from "./migration-rules.ts";

const MAX_ID = Number.MAX_SAFE_INTEGER;

/**
 * By the name of a migration: the rows that a service of that version would write. All later migrations must keep them.
 * If a migration makes a table, add rows for it here.
 */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  "0000_store.sql": [
    `insert into pets (id, category, name, photoUrls, tags, status) values
      (1, '{"id":1,"name":"Dogs"}', 'Rex', '"https://pets.example/rex.jpg"', '[{"id":1,"name":"dog"},"good boy"]', 'available'),
      (2, null, '🐶 "Max" \\', '[]', null, null),
      (3, '{}', 'Ida', '["a.png","b.png"]', '[]', 'sold'),
      (4, null, 'gone', '"a.png"', '["dog"]', 'pending'),
      (5, null, 'gone', '"a.png"', '["dog"]', 'sold'),
      (40, null, 'chosen', '"a.png"', '[{"name":"dog"},{"id":2}]', 'pending'),
      (41, null, 'chosen', '"a.png"', null, 'pending'),
      (${MAX_ID}, null, 'greatest', '"a.png"', '["Dog"]', 'available')`,
    `update pets set name = 'Rex II', status = 'sold', version = version + 1 where id = 1`,
    // Ids that were used and are free now. They must not be used again.
    `delete from pets where id in (4, 5, 41)`,
    `insert into orders (id, petId, quantity, shipDate, status, complete, owner) values
      (1, 1, 2, '2026-12-01T09:00:00.000Z', 'placed', 1, 'c2Vzc2lvbg'),
      (10, null, 0, null, null, 0, null),
      (11, ${MAX_ID}, null, '2026-12-01T09:00:00+0000', 'delivered', null, null),
      (12, null, null, null, 'approved', null, null)`,
    `delete from orders where id = 12`,
    `insert into users (id, username, firstName, lastName, email, sealedPassword, phone, userStatus, credentialId) values
      (1, 'ada', 'Ada', 'Lovelace', 'ada@users.example', null, '+44', 0, '9d5e1a7c-1c1f-4c8e-9a53-0d6f3f6a2b11'),
      (2, null, null, null, null, 'c2VhbGVk', null, -1, 'a'),
      (3, 'Ada', null, null, null, null, null, null, 'b'),
      (4, 'gone', null, null, null, null, null, null, 'c')`,
    `delete from users where id = 4`,
    `insert into pets (id, name, photoUrls, tags, status) values
      (6, 'pictured', '["/v2/pet/6/images/5f8e3d0e.png"]', '["dog"]', 'available')`,
    `insert into pet_images (petId, name, dueAt, isOrphan) values
      (6, '5f8e3d0e.png', null, 0), (7, '0d6f3f6a.png', 0, 0), (6, '1c1f4c8e.gif', 1764000000000, 0),
      (7, '2b6e1f0a.gif', 1764000000000, 1)`,
    `insert into idempotency_keys (key, request, resourceId, version, ids, expiresAt) values
      ('a', 'b', 6, 7, null, 4000000000000), ('c', 'd', null, null, '[1,2]', 1)`,
  ],
};

/** An example of a later migration: these tests are there before it is. */
const EXAMPLE: (typeof env.MIGRATIONS)[number] = {
  name: "9999_example.sql",
  queries: [
    ...["pets", "orders", "users"].flatMap((table) => [
      `ALTER TABLE "${table}" ADD "counted" integer DEFAULT 0 NOT NULL`,
      `ALTER TABLE "${table}" ADD "said" text`,
    ]),
    `CREATE TABLE "examples" ("id" integer PRIMARY KEY NOT NULL) STRICT`,
  ],
};
const MIGRATIONS = [...env.MIGRATIONS, EXAMPLE];

type Row = Record<string, unknown>;

async function query<Result = Row>(sql: string): Promise<Result[]> {
  return (await env.DB.prepare(sql).all<Result>()).results;
}

/** The names of what the database is made of, without what SQLite, D1 and the migrations keep for themselves. */
async function namesOf(type: "table" | "view" | "trigger" | "index"): Promise<string[]> {
  const objects = await query<{ name: string }>(
    `select name from sqlite_master where type = '${type}' and name not like 'sqlite\\_%' escape '\\'
     and name not like '\\_cf\\_%' escape '\\' and name <> 'd1_migrations' order by name`,
  );
  return objects.map(({ name }) => name);
}

const structure = async () => [
  ...(await namesOf("view")),
  ...(await namesOf("trigger")),
  ...(await namesOf("index")),
];

async function rowsByTable(): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Row[]>();
  for (const table of await namesOf("table")) {
    rows.set(table, await query(`select * from "${table}"`));
  }
  return rows;
}

async function dropEverything(): Promise<void> {
  for (const view of await namesOf("view")) await query(`drop view "${view}"`);
  for (const table of [...(await namesOf("table")), "d1_migrations"]) {
    await query(`drop table if exists "${table}"`);
  }
}

/** Migrates an empty database up to before a migration, and adds the rows of each step. */
async function migrateTo(count: number): Promise<void> {
  for (let done = 0; done < count; done++) {
    await applyD1Migrations(env.DB, MIGRATIONS.slice(0, done + 1));
    const written = WRITTEN[MIGRATIONS[done]?.name ?? ""] ?? [];
    await env.DB.batch([...written, "select 1"].map((sql) => env.DB.prepare(sql)));
  }
}

/** Compares the derived tables with the tables that they are derived from. */
async function expectDerivedRowsToBeRight(): Promise<void> {
  expect(await query("select status, quantity from inventory order by status")).toEqual(
    await query(
      `select value as status, count(pets.id) as quantity
       from json_each('["available","pending","sold"]') left join pets on pets.status = value
       group by value order by value`,
    ),
  );
  expect(await query("select petId, tag from pet_tags order by petId, tag")).toEqual(
    await query(
      `select distinct pets.id as petId, iif(item.type = 'text', item.value, item.value ->> '$.name') as tag
       from pets join json_each(pets.tags) as item
       where iif(item.type = 'text', item.value, item.value ->> '$.name') is not null
       order by petId, tag`,
    ),
  );
}

/** The members that a row cannot be without, by table. */
const NEEDED = {
  pets: [`name, photoUrls, tags, status`, `'new', '"a.png"', '["dog"]', 'sold'`],
  orders: [`quantity`, `1`],
  users: [`credentialId`, `'new'`],
} as const;
type Resource = keyof typeof NEEDED;
const RESOURCES = Object.keys(NEEDED) as Resource[];

/** Inserts a row under the next id, and gives that. */
async function insertNext(resource: Resource): Promise<number> {
  const [columns, values] = NEEDED[resource];
  const [row] = await query<{ id: number }>(
    `insert into ${resource} (id, ${columns})
     values ((select next from id_sequences where resource = '${resource}'), ${values}) returning id`,
  );
  return row?.id ?? NaN;
}

/** Ids that the sequences have passed, and of which WRITTEN deletes the row. */
const DELETED = { pets: [4, 5], orders: [12], users: [4] } as const;

async function usedIds(): Promise<Record<Resource, Set<number>>> {
  const idsOf = async (resource: Resource) => {
    const rows = await query<{ id: number }>(`select id from ${resource}`);
    return new Set([...DELETED[resource], ...rows.map(({ id }) => id)]);
  };
  return { pets: await idsOf("pets"), orders: await idsOf("orders"), users: await idsOf("users") };
}

/** The ids that come next after the rows above. */
async function nextIds(): Promise<Record<Resource, number[]>> {
  const ids: Record<Resource, number[]> = { pets: [], orders: [], users: [] };
  for (const resource of RESOURCES) {
    for (let each = 0; each < 3; each++) ids[resource].push(await insertNext(resource));
  }
  return ids;
}

const shownAt = async (path: string) => outcome(await send("GET", path));

beforeEach(dropEverything);

const LATER = MIGRATIONS.map(({ name }, index) => ({ name, index })).slice(1);

describe.each(LATER)("$name, applied to a filled database", ({ index }) => {
  const migrate = async () => applyD1Migrations(env.DB, MIGRATIONS.slice(0, index + 1));

  test("keeps every row of every table with all its values, every view, trigger and index", async () => {
    await migrateTo(index);
    const [before, built] = [await rowsByTable(), await structure()];
    expect(built).not.toEqual([]);
    await migrate();
    const after = await rowsByTable();
    expect(await structure()).toEqual(expect.arrayContaining(built));
    const empty = [...before].filter(([, rows]) => rows.length === 0);
    // A table without rows shows nothing: it needs some in WRITTEN.
    expect(empty.map(([table]) => table)).toEqual([]);
    for (const [table, rows] of before) {
      const kept = rows.map((row): unknown => expect.objectContaining(row));
      expect({ table, rows: after.get(table) }).toEqual({
        table,
        rows: expect.arrayContaining(kept) as unknown,
      });
    }
  });

  test("leaves inventory and tags right, and the triggers keep them so", async () => {
    await migrateTo(index);
    await migrate();
    await expectDerivedRowsToBeRight();
    await nextIds();
    await query(
      "update pets set status = 'pending', tags = '[]', version = version + 1 where id = 1",
    );
    await query("delete from pets where id = 3");
    await expectDerivedRowsToBeRight();
    await expect(query("update pets set name = 'same version' where id = 1")).rejects.toThrow(
      "an update moves the version by one",
    );
    expect(await query("pragma quick_check")).toEqual([{ quick_check: "ok" }]);
  });

  test("gives no id that was ever given", async () => {
    await migrateTo(index);
    const used = await usedIds();
    await migrate();
    const given = await nextIds();
    for (const resource of RESOURCES) {
      expect(given[resource]).toEqual(given[resource].toSorted((a, b) => a - b));
      expect(given[resource].filter((id) => used[resource].has(id))).toEqual([]);
    }
  });
});

test.each([
  ["all migrations", env.MIGRATIONS.length],
  ["a later version was there", MIGRATIONS.length],
])("after %s, the service shows what was written before", async (_, count) => {
  await migrateTo(count);
  expect(await shownAt("/pet/1")).toEqual(
    success({
      id: 1,
      category: { id: 1, name: "Dogs" },
      name: "Rex II",
      photoUrls: "https://pets.example/rex.jpg",
      tags: [{ id: 1, name: "dog" }, "good boy"],
      status: "sold",
    }),
  );
  expect(await shownAt("/pet/2")).toEqual(success({ id: 2, name: `🐶 "Max" \\`, photoUrls: [] }));
  expect(await shownAt("/store/order/1")).toEqual(
    success({
      id: 1,
      petId: 1,
      quantity: 2,
      shipDate: "2026-12-01T09:00:00.000Z",
      status: "placed",
      complete: true,
    }),
  );
  expect(await shownAt("/user/ada")).toEqual(
    success({
      id: 1,
      username: "ada",
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@users.example",
      phone: "+44",
      userStatus: 0,
    }),
  );
  expect(await shownAt("/store/inventory")).toEqual(success({ available: 2, pending: 1, sold: 2 }));
});

test("the service writes to the tables of a later version, which then has all of it", async () => {
  await migrateTo(MIGRATIONS.length);
  const pet = { id: 7, name: "Max", photoUrls: "max.png" };
  const changed = { ...pet, name: "Mia", status: "sold" };
  const requests = [
    ["POST", "/pet", { name: "Max", photoUrls: "max.png" }, pet],
    ["PUT", "/pet", changed, changed],
    ["POST", "/store/order", { quantity: 1 }, { id: 2, quantity: 1 }],
    ["POST", "/user", { username: "grace" }, { code: 200, type: "unknown", message: "5" }],
    ["POST", "/user/createWithList", [{}, {}], { code: 200, type: "unknown", message: "ok" }],
    ["DELETE", "/pet/1", undefined, { code: 200, type: "unknown", message: "1" }],
  ] as const;
  for (const [method, path, json, shown] of requests) {
    const answer = await send(method, path, json && { json });
    expect(outcome(answer)).toEqual(success(shown));
  }
  const added = { counted: 0, said: null };
  expect(await query("select id, name, status, counted, said from pets where id = 7")).toEqual([
    { id: 7, name: "Mia", status: "sold", ...added },
  ]);
  expect(await query("select id, counted, said from orders where id = 2")).toEqual([
    { id: 2, ...added },
  ]);
  expect(await query("select id, counted, said from users where id > 4 order by id")).toEqual(
    [5, 6, 7].map((id) => ({ id, ...added })),
  );
  await expectDerivedRowsToBeRight();
});

test("rows are written for no migration that does not exist", () => {
  const names = env.MIGRATIONS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(WRITTEN)));
});

const sources = Object.entries(
  import.meta.glob<string>("../migrations/*.sql", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
);

const trigger = (body: string, on = "AFTER INSERT ON pets") =>
  `CREATE TRIGGER "t" ${on}\nBEGIN\n\t${body}\nEND;\n`;

describe("the rules of migrations", () => {
  test("are read of every migration", () => {
    const names = sources.map(([path]) => path.replace("../migrations/", ""));
    expect(names).toEqual(env.MIGRATIONS.map(({ name }) => name));
  });

  test("are those of sandboxes, too", () => {
    const files = OF_SANDBOXES.map(({ name, sql }) => [`../migrations/${name}.sql`, sql]);
    expect(files).toEqual(sources);
  });

  test.each(sources)("are kept by %s", (_, sql) => {
    expect(faultsOf(sql)).toEqual([]);
  });

  test.each([
    ["nothing at all", ""],
    [
      "comments on lines of their own",
      `-- A comment\nSELECT 1;\n-- begin\n${trigger("SELECT 1;")}`,
    ],
    ["several statements", trigger("UPDATE a SET b = 'begin' WHERE c = 1;\n\tDELETE FROM d;")],
    ["lower case outside of triggers", `create table "a" (b integer, c text); select 1;`],
    ["functions in lower case", trigger("SELECT coalesce(max(a), RAISE(IGNORE)) FROM b;")],
    ["what begins like a keyword", trigger("SELECT ended, beginning, cases FROM b;")],
  ])("allow %s", (_, sql) => {
    expect(faultsOf(sql)).toEqual([]);
  });

  test.each([
    ["a line that ends with CR LF", trigger("SELECT 1;").replaceAll("\n", "\r\n")],
    ["a comment within a statement", trigger("-- why\n\tSELECT 1;")],
    ["a comment within a statement", "CREATE TABLE a (\n-- why\nb);"],
    ["a comment that does not begin with --", "/* why */ SELECT 1;"],
    ["a quote or a semicolon in a comment", "-- it's so\nSELECT 1;"],
    ["a quote or a semicolon in a comment", "-- first; then\nSELECT 1;"],
    ["a semicolon within quotes", "INSERT INTO a VALUES ('b;c');"],
    ["a keyword in lower case in a trigger", trigger("SELECT 1;").replace("BEGIN", "begin")],
    ["a keyword in lower case in a trigger", trigger("SELECT 1;").replace("END", "end")],
    ["a keyword in lower case in a trigger", trigger("SELECT 1;").replace("CREATE", "create")],
    ["a keyword in lower case in a trigger", trigger("select 1;")],
    ["CASE in a trigger", trigger("SELECT CASE WHEN a THEN b END;\n\tSELECT 1;")],
    ["CASE in a trigger", trigger("SELECT (CASE WHEN a THEN b END);")],
    ["a trigger on a view", trigger("SELECT 1;", "INSTEAD OF INSERT ON v")],
    ["a trigger without one BEGIN", trigger("SELECT 1;").replace("BEGIN", "")],
    ["a statement of more than 100 KB", `INSERT INTO a VALUES ('${"x".repeat(100_000)}');`],
    ["a statement without its end", "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;"],
  ])("find %s", (fault, sql) => {
    expect(faultsOf(sql)).toContain(fault);
  });
});
