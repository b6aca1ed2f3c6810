import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";

type Status = "available" | "pending" | "sold" | null;

const insertion = (id: number, tags: unknown, status: Status = null) =>
  env.DB.prepare(
    `insert into pets (id, name, photoUrls, tags, status) values (?, 'Rex', '"a.png"', ?, ?)`,
  ).bind(id, tags === undefined ? null : JSON.stringify(tags), status);

const retagging = (id: number, tags: unknown) =>
  env.DB.prepare("update pets set tags = ?, version = version + 1 where id = ?").bind(
    tags === undefined ? null : JSON.stringify(tags),
    id,
  );

const deletion = (id: number) => env.DB.prepare("delete from pets where id = ?").bind(id);

async function inventory(): Promise<unknown> {
  const { results } = await env.DB.prepare("select status, quantity from inventory").all<{
    status: string;
    quantity: number;
  }>();
  return Object.fromEntries(results.map(({ status, quantity }) => [status, quantity]));
}

async function tagsOf(id: number): Promise<string[]> {
  const { results } = await env.DB.prepare("select tag from pet_tags where petId = ? order by tag")
    .bind(id)
    .all<{ tag: string }>();
  return results.map(({ tag }) => tag);
}

beforeEach(async () => {
  await env.DB.prepare("delete from pets").run();
});

describe("the inventory", () => {
  test("follows statements that touch many pets", async () => {
    await env.DB.batch([1, 2, 3, 4, 5].map((id) => insertion(id, undefined, "available")));
    await env.DB.prepare("update pets set status = 'sold', version = version + 1").run();
    expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 5 });
    await env.DB.prepare("delete from pets where id > 2").run();
    expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 2 });
  });

  test("is unchanged by an insert that conflicts, and by a batch that fails", async () => {
    await insertion(1, undefined, "sold").run();
    await env.DB.prepare(
      `insert into pets (id, name, photoUrls, status) values (1, 'Max', '"b"', 'sold')
       on conflict do nothing`,
    ).run();
    await expect(
      env.DB.batch([insertion(2, undefined, "sold"), insertion(1, undefined, "sold")]),
    ).rejects.toThrow(/UNIQUE constraint failed/);
    expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 1 });
  });
});

describe("the tag look-up", () => {
  const cases: readonly { what: string; tags: unknown; found: readonly string[] }[] = [
    { what: "no tags", tags: undefined, found: [] },
    { what: "an empty list", tags: [], found: [] },
    { what: "objects", tags: [{ id: 1, name: "a" }, { name: "b" }], found: ["a", "b"] },
    { what: "plain strings", tags: ["a", "b"], found: ["a", "b"] },
    { what: "duplicates", tags: ["a", { name: "a" }, { id: 2, name: "a" }, "a"], found: ["a"] },
    { what: "tags without a name", tags: [{}, { id: 1 }, { name: "a" }], found: ["a"] },
    { what: "only tags without a name", tags: [{}, { id: 1 }], found: [] },
    { what: "an empty name", tags: ["", { name: "" }], found: [""] },
    { what: "names of both cases", tags: ["a", "A"], found: ["A", "a"] },
    { what: "names with spaces", tags: [" a", "a"], found: [" a", "a"] },
    {
      what: "any characters",
      tags: ["$.name", "\\", "a,b", '"', "🐶"],
      found: ['"', "$.name", "\\", "a,b", "🐶"],
    },
    { what: "names like numbers", tags: ["1", { name: "1.0" }], found: ["1", "1.0"] },
    { what: "names like JSON", tags: ['{"name":"x"}', "[1]"], found: ["[1]", '{"name":"x"}'] },
  ];
  for (const { what, tags, found } of cases) {
    test(`holds each name once, through an insert, updates and a deletion: ${what} §3.2`, async () => {
      await env.DB.batch([insertion(1, tags), insertion(2, ["a", "before"])]);
      expect(await tagsOf(1)).toEqual(found.toSorted());
      const before = ["a", "before"];
      const after = ["a", "after"];
      for (const [others, shown] of [
        [before, before],
        [tags, found.toSorted()],
        [after, after],
        [tags, found.toSorted()],
      ] as const) {
        await retagging(1, others).run();
        expect(await tagsOf(1)).toEqual(shown);
      }
      await deletion(1).run();
      expect(await tagsOf(1)).toEqual([]);
      expect(await tagsOf(2)).toEqual(["a", "before"]);
    });
  }
});

async function orderIds(): Promise<number[]> {
  const { results } = await env.DB.prepare("select id from orders order by id").all<{
    id: number;
  }>();
  return results.map(({ id }) => id);
}

/** Stores a user. @returns what names the account */
async function accountOf(id: number): Promise<string | undefined> {
  const row = await env.DB.prepare(
    "insert into users (id, credentialId) values (?, 'c') returning accountId",
  )
    .bind(id)
    .first<{ accountId: string }>();
  return row?.accountId;
}

const order = async (id: number, owner: string | null | undefined) =>
  env.DB.prepare("insert into orders (id, owner) values (?, ?)")
    .bind(id, owner ?? null)
    .run();

describe("the orders of an account that is deleted", () => {
  test("give back the ids 1 to 10, and no other order goes", async () => {
    const [one, other] = [await accountOf(700_001), await accountOf(700_002)];
    for (const [id, owner] of [
      [1, one],
      [2, other],
      [3, null],
      [10, one],
      [11, one],
    ] as const) {
      await order(id, owner);
    }
    await env.DB.prepare("delete from users where id = 700001").run();
    expect(await orderIds()).toEqual([2, 3, 11]);
  });
});

describe("the id of an account", () => {
  test("is 128 random bits, other ones where an account comes again", async () => {
    const first = await accountOf(700_003);
    await env.DB.prepare("delete from users where id = 700003").run();
    const second = await accountOf(700_003);
    expect(first).toMatch(/^[\da-f]{32}$/);
    expect(second).toMatch(/^[\da-f]{32}$/);
    expect(second).not.toBe(first);
  });

  test("never changes", async () => {
    await accountOf(700_004);
    await expect(
      env.DB.prepare(
        "update users set accountId = 'another', version = version + 1 where id = 700004",
      ).run(),
    ).rejects.toThrow("keeps the ids");
  });
});

describe("the version of a row", () => {
  const REFUSED = "an update moves the version by one and keeps the id";
  const tables = [
    { table: "pets", insert: `insert into pets (id, name, photoUrls) values (?, 'Rex', '"a"')` },
    { table: "orders", insert: "insert into orders (id) values (?)" },
    { table: "users", insert: "insert into users (id, credentialId) values (?, 'c')" },
  ];
  for (const [index, { table, insert }] of tables.entries()) {
    const versionOf = async (id: number) =>
      env.DB.prepare(`select version from ${table} where id = ?`).bind(id).first<number>("version");

    test(`must move by one whatever column is written, and the id stay: ${table}`, async () => {
      const id = 1000 + index;
      await env.DB.prepare(insert).bind(id).run();
      const version = (await versionOf(id)) ?? 0;
      expect(version).toBeGreaterThan(0);
      const { results: columns } = await env.DB.prepare(
        "select name from pragma_table_info(?) where name <> 'sealedPassword'",
      )
        .bind(table)
        .all<{ name: string }>();
      expect(columns.length).toBeGreaterThan(5);
      for (const change of [
        ...columns.map(({ name }) => `"${name}" = "${name}"`),
        "version = version + 2",
        "version = version - 1",
        "version = 1",
        "id = id + 1, version = version + 1",
      ]) {
        await expect(
          env.DB.prepare(`update ${table} set ${change} where id = ?`).bind(id).run(),
        ).rejects.toThrow(REFUSED);
      }
      expect(await versionOf(id)).toBe(version);
      await env.DB.prepare(`update ${table} set version = version + 1 where id = ?`).bind(id).run();
      expect(await versionOf(id)).toBe(version + 1);
    });

    test(`is another one when a deleted row is created again: ${table}`, async () => {
      const id = 2000 + index;
      const versions = new Set<number | null>();
      for (let round = 0; round < 20; round++) {
        await env.DB.prepare(insert).bind(id).run();
        versions.add(await versionOf(id));
        await env.DB.prepare(`delete from ${table} where id = ?`).bind(id).run();
      }
      expect(versions.size).toBe(20);
      expect([...versions].every((version) => Number.isSafeInteger(version))).toBe(true);
    });
  }

  test("stays where a password is sealed again, and nothing else is written", async () => {
    const row = "select version from users where id = 3000";
    await env.DB.exec("insert into users (id, credentialId) values (3000, 'c')");
    const version = await env.DB.prepare(row).first("version");
    const sealing = "update users set sealedPassword = 'again'";
    await expect(
      env.DB.prepare(`${sealing}, credentialId = 'd' where id = 3000`).run(),
    ).rejects.toThrow(REFUSED);
    await env.DB.prepare(`${sealing} where id = 3000`).run();
    expect(await env.DB.prepare(row).first("version")).toBe(version);
  });
});
