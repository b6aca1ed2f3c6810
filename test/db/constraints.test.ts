import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { countOf } from "../fixtures.ts";
import { words } from "../spellings.ts";

type Row = Readonly<Record<string, string | number | null>>;

const pet: Row = { name: "Rex", photoUrls: '"a.png"' };
const user: Row = { credentialId: "c" };

async function insert(table: string, row: Row): Promise<D1Result> {
  const names = Object.keys(row);
  return env.DB.prepare(
    `insert into ${table} (${names.map((name) => `"${name}"`).join(", ")})
     values (${names.map(() => "?").join(", ")})`,
  )
    .bind(...Object.values(row))
    .run();
}

/** What a table refuses, whatever the code before it let through. */
const refused: readonly { table: string; what: string; row: Row }[] = [
  { table: "pets", what: "an id of 0", row: { ...pet, id: 0 } },
  { table: "pets", what: "a negative id", row: { ...pet, id: -1 } },
  { table: "pets", what: "an id that is text", row: { ...pet, id: "x" } },
  { table: "pets", what: "an id that is a fraction", row: { ...pet, id: 1.5 } },
  { table: "pets", what: "no name", row: { photoUrls: '"a"' } },
  { table: "pets", what: "a null name", row: { ...pet, name: null } },
  { table: "pets", what: "an empty name", row: { ...pet, name: "" } },
  { table: "pets", what: "no photoUrls", row: { name: "Rex" } },
  { table: "pets", what: "photoUrls that are no JSON", row: { ...pet, photoUrls: "a.png" } },
  { table: "pets", what: "photoUrls that are a number", row: { ...pet, photoUrls: "7" } },
  { table: "pets", what: "photoUrls that are an object", row: { ...pet, photoUrls: "{}" } },
  { table: "pets", what: "a category that is an array", row: { ...pet, category: "[]" } },
  { table: "pets", what: "a category that is text", row: { ...pet, category: '"dog"' } },
  { table: "pets", what: "tags that are an object", row: { ...pet, tags: "{}" } },
  { table: "pets", what: "tags that are no JSON", row: { ...pet, tags: "dog" } },
  { table: "pets", what: "an unknown status", row: { ...pet, status: "lost" } },
  { table: "pets", what: "a status in capitals", row: { ...pet, status: "Sold" } },
  { table: "pets", what: "a version that is text", row: { ...pet, version: "x" } },
  { table: "orders", what: "an id of 0", row: { id: 0 } },
  { table: "orders", what: "a negative quantity", row: { quantity: -1 } },
  { table: "orders", what: "a quantity that is text", row: { quantity: "many" } },
  { table: "orders", what: "a petId that is text", row: { petId: "x" } },
  { table: "orders", what: "an unknown status", row: { status: "sold" } },
  { table: "orders", what: "a complete that is neither 0 nor 1", row: { complete: 2 } },
  { table: "orders", what: "a complete that is text", row: { complete: "true" } },
  { table: "users", what: "an id of 0", row: { ...user, id: 0 } },
  { table: "users", what: "no credentialId", row: { username: "a" } },
  { table: "users", what: "an empty username", row: { ...user, username: "" } },
  { table: "users", what: "a username of 129", row: { ...user, username: "a".repeat(129) } },
  { table: "users", what: "a userStatus that is text", row: { ...user, userStatus: "x" } },
  { table: "inventory", what: "a negative quantity", row: { status: "lost", quantity: -1 } },
  { table: "pet_images", what: "a negative time", row: { petId: 1, name: "a", dueAt: -1 } },
  { table: "pet_images", what: "an isOrphan of 2", row: { petId: 1, name: "a", isOrphan: 2 } },
];

describe("the tables", () => {
  test.each(refused)("refuse bad rows: $table, $what §V2.2", async ({ table, row }) => {
    const before = await countOf(table);
    await expect(insert(table, row)).rejects.toThrow(
      /constraint|cannot store|malformed JSON|datatype mismatch/i,
    );
    expect(await countOf(table)).toBe(before);
  });

  test("refuse an id beyond 2^53-1, which would come back rounded", async () => {
    for (const id of ["9007199254740992", "9223372036854775807"]) {
      for (const sql of [
        `insert into pets (id, name, photoUrls) values (${id}, 'Rex', '"a"')`,
        `insert into orders (id) values (${id})`,
        `insert into users (id, credentialId) values (${id}, 'c')`,
      ]) {
        await expect(env.DB.prepare(sql).run()).rejects.toThrow(/constraint/i);
      }
    }
  });

  test("refuse a second user of one name, and take any number without", async () => {
    await insert("users", { ...user, username: "unique" });
    await expect(insert("users", { ...user, username: "unique" })).rejects.toThrow(
      /UNIQUE constraint failed/,
    );
    await insert("users", { ...user, username: "Unique" });
    await insert("users", { ...user, username: null });
    await insert("users", { ...user, username: null });
  });

  test("are STRICT, all of them", async () => {
    const tables = words("id_sequences inventory orders pet_images pet_tags pets users");
    const { results } = await env.DB.prepare(
      "select name, strict from pragma_table_list where name in (select value from json_each(?)) order by name",
    )
      .bind(JSON.stringify(tables))
      .all();
    expect(results).toEqual(tables.map((name) => ({ name, strict: 1 })));
  });
});
