/// <reference types="vite/client" />
import { env } from "cloudflare:workers";
import { SQLiteSyncDialect, getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import * as schema from "../../src/db/schema.ts";
import { MIGRATIONS } from "../../src/sandbox/state.ts";

const files = import.meta.glob<string>("../../migrations/*.sql", { query: "?raw", import: "default", eager: true });

/** Splits a migration into statements, each with its preceding comment. */
const statementsOf = (sql: string) => sql.split("--> statement-breakpoint\n");

const withoutComment = (statement: string) => statement.replace(/^(?:--[^\n]*\n)+/, "");

const isTrigger = (statement: string) => /^CREATE TRIGGER/i.test(withoutComment(statement));

const KEYWORDS =
  "after and as begin before between by create delete each else end exists for from if in insert into is limit not null of on or order select set then trigger union update values when where with";

/**
 * D1's server splits a migration into statements textually. It misreads a semicolon in a string or a comment, the `END` of a
 * CASE, and a lowercase `begin` (cloudflare/workers-sdk 4713, 10998, 15314, 15690).
 */
const RULES: Readonly<Record<string, (statement: string) => boolean>> = {
  "has lines that end in LF": (statement) => !statement.includes("\r"),
  "has comments only before it, without quotes or semicolons": (statement) =>
    !/--|\/\*/.test(withoutComment(statement)) && !/^--.*['"`;]/m.test(statement),
  "has no semicolon in quotes": (statement) => !/'[^'\n]*;[^'\n]*'|"[^"\n]*;[^"\n]*"/.test(statement),
  "is a single statement": (statement) =>
    isTrigger(statement)
      ? (statement.match(/\bBEGIN\b/gi) ?? []).length === 1 && statement.trim().endsWith("\nEND;")
      : statement.trim().indexOf(";") === statement.trim().length - 1,
  "has uppercase keywords if it is a trigger": (statement) =>
    !isTrigger(statement) ||
    !new RegExp(String.raw`\b(?:${KEYWORDS.replaceAll(" ", "|")})\b`).test(
      withoutComment(statement).replaceAll(/"[^"]*"|'[^']*'/g, ""),
    ),
  "has no CASE if it is a trigger": (statement) => !isTrigger(statement) || !/\bCASE\b/i.test(statement),
  "is not a trigger on a view, which an export would write before the view": (statement) =>
    !/\bINSTEAD OF\b/i.test(statement),
  "has at most 100 KB": (statement) => new TextEncoder().encode(statement).length <= 100_000,
};

describe.each(Object.entries(RULES))("a migration statement %s", (_, keeps) => {
  test.each(Object.entries(files))("%s", (_file, sql) => {
    expect(statementsOf(sql).filter((statement) => !keeps(statement))).toEqual([]);
  });
});

const trigger = "CREATE TRIGGER t AFTER INSERT ON a\nBEGIN\n\tSELECT 1;\nEND;\n";

test.each([
  ["CREATE TABLE a (b);\r\n"],
  ["CREATE TABLE a (\n-- why\nb);\n"],
  ["/* why */ SELECT 1;\n"],
  ["-- it's so\nSELECT 1;\n"],
  ["INSERT INTO a VALUES ('b;c');\n"],
  ["SELECT 1;\nSELECT 2;\n"],
  ["SELECT 1\n"],
  [trigger.replace("BEGIN", "begin")],
  [trigger.replace("SELECT", "select")],
  [trigger.replace("SELECT 1", "SELECT (CASE WHEN a THEN b END)")],
  [trigger.replace("SELECT 1;\nEND", "SELECT 1")],
  [trigger.replace("AFTER INSERT", "INSTEAD OF INSERT")],
  [`INSERT INTO a VALUES ('${"x".repeat(100_000)}');\n`],
])("the rules reject %j", (statement) => {
  expect(Object.values(RULES).every((keeps) => keeps(statement))).toBe(false);
  expect(Object.values(RULES).every((keeps) => keeps(trigger))).toBe(true);
});

const query = async <Found = Record<string, unknown>>(sql: string): Promise<Found[]> =>
  (await env.DB.prepare(sql).all<Found>()).results;

const dialect = new SQLiteSyncDialect();

const tables = Object.values<SQLiteTable>(schema).map((table) => getTableConfig(table));

test("the migrations create the tables of the schema, all STRICT", async () => {
  const found = await query<{ name: string; strict: number }>(
    `select name, strict from pragma_table_list where type = 'table' and schema = 'main'
     and name not like 'sqlite\\_%' escape '\\' and name not like '\\_cf\\_%' escape '\\'
     and name <> 'd1_migrations' order by name`,
  );
  expect(found).toEqual(tables.map(({ name }) => ({ name, strict: 1 })).toSorted((a, b) => (a.name < b.name ? -1 : 1)));
});

describe.each(tables)("in the migrations and in the schema, the table $name has the same", (table) => {
  test("columns, types, column order, and primary key", async () => {
    const key = new Set(table.primaryKeys.flatMap(({ columns }) => columns.map(({ name }) => name)));
    expect(
      await query(`select name, lower(type) as type, "notnull" = 1 as required, pk > 0 as isKey,
        dflt_value is not null as hasDefault from pragma_table_info('${table.name}')`),
    ).toEqual(
      table.columns.map((column) => ({
        name: column.name,
        type: column.getSQLType(),
        required: Number(column.notNull),
        isKey: Number(column.primary || key.has(column.name)),
        hasDefault: Number(column.default !== undefined),
      })),
    );
  });

  test("indexes and CHECKs", async () => {
    const indexes = [
      ...table.indexes.map(({ config }) => ({ name: config.name, isUnique: +config.unique })),
      ...table.columns.filter(({ isUnique }) => isUnique).map(({ uniqueName }) => ({ name: uniqueName, isUnique: 1 })),
    ];
    const found = await query<{ name: string }>(
      `select name, "unique" as isUnique from pragma_index_list('${table.name}') where origin = 'c'`,
    );
    expect(found).toHaveLength(indexes.length);
    expect(found).toEqual(expect.arrayContaining(indexes));

    const [created] = await query<{ sql: string }>(
      `select sql from sqlite_schema where type = 'table' and name = '${table.name}'`,
    );
    const checks = Array.from((created?.sql ?? "").matchAll(/CONSTRAINT "(\w+)" CHECK\((.+)\)(?:,$|$)/gm));
    expect(new Map(checks.map(([, name, condition]) => [name, condition]))).toEqual(
      new Map(table.checks.map(({ name, value }) => [name, dialect.sqlToQuery(value).sql])),
    );
  });
});

/** Tables into which only the migrations insert rows. */
const FIXED = new Set(["inventory", "id_sequences"]);

test("each boolean or enumerated column has a CHECK of its values", () => {
  const restricted = tables
    .filter(({ name }) => !FIXED.has(name))
    .flatMap(({ name, columns, checks }) => {
      const conditions = new Set(checks.map(({ value }) => dialect.sqlToQuery(value).sql));
      return columns.flatMap((column) => {
        const values = column.dataType === "boolean" ? [0, 1] : column.enumValues?.map((value: string) => `'${value}'`);
        if (!values?.length) return [];
        const condition = `"${name}"."${column.name}" in (${values.join(", ")})`;
        return { column: `${name}.${column.name}`, isChecked: conditions.has(condition) };
      });
    });
  expect(restricted.length).toBeGreaterThan(2);
  expect(restricted.filter(({ isChecked }) => !isChecked)).toEqual([]);
});

type Row = Readonly<Record<string, string | number | null>>;

const insert = async (table: string, row: Row) =>
  env.DB.prepare(
    `insert into ${table} (${Object.keys(row).join()}) values (${Object.keys(row).fill("?").join()})
     returning *`,
  )
    .bind(...Object.values(row))
    .first();

const pet: Row = { name: "Rex", photoUrls: '"a.png"' };
const user: Row = { credentialId: "c" };

test.each<[table: string, what: string, row: Row]>([
  ["pets", "an ID of 0", { ...pet, id: 0 }],
  ["pets", "an ID beyond 2^53-1", { ...pet, id: 2 ** 53 }],
  ["pets", "an ID that is text", { ...pet, id: "x" }],
  ["pets", "an empty name", { ...pet, name: "" }],
  ["pets", "no photoUrls", { name: "Rex" }],
  ["pets", "photoUrls that are an object", { ...pet, photoUrls: "{}" }],
  ["pets", "a category that is an array", { ...pet, category: "[]" }],
  ["pets", "tags that are an object", { ...pet, tags: "{}" }],
  ["pets", "an unknown status", { ...pet, status: "lost" }],
  ["orders", "a negative quantity", { quantity: -1 }],
  ["orders", "an unknown status", { status: "sold" }],
  ["orders", "a complete that is neither 0 nor 1", { complete: 2 }],
  ["users", "an ID beyond 2^53-1", { ...user, id: 2 ** 53 }],
  ["users", "no credentialId", { username: "a" }],
  ["users", "a username of 129 characters", { ...user, username: "a".repeat(129) }],
  ["inventory", "a negative quantity", { status: "lost", quantity: -1 }],
])("the table %s rejects %s", async (table, _, row) => {
  await expect(insert(table, row)).rejects.toThrow(/constraint|cannot store|malformed JSON|datatype mismatch/i);
});

test.each([
  ["pets", pet],
  ["orders", {}],
  ["users", user],
])("a recreated row of %s starts with another version", async (table, row) => {
  const versions = new Set<unknown>();
  for (let time = 0; time < 10; time++) {
    versions.add((await insert(table, { ...row, id: 4242 }))?.["version"]);
    await query(`delete from ${table} where id = 4242`);
  }
  expect(versions.size).toBe(10);
});

test.each<[what: string, tags: unknown, names: readonly string[]]>([
  ["an empty array", [], []],
  ["duplicates", ["a", { name: "a" }, { id: 2, name: "a" }], ["a"]],
  ["objects without a name", [{}, { id: 1 }, { name: "a" }], ["a"]],
  ["names that differ in case or spaces", ["a", "A", " a"], [" a", "A", "a"]],
  ["names that look like JSON", ['{"name":"x"}', "[1]", "1"], ["1", "[1]", '{"name":"x"}']],
])("the tag triggers store each tag name of a pet once: %s", async (_, tags, names) => {
  const text = tags === null ? null : JSON.stringify(tags);
  const namesOf = async (id: unknown) =>
    (await query(`select tag from pet_tags where petId = ${Number(id)} order by tag`)).map(({ tag }) => tag);
  const made = await insert("pets", { ...pet, tags: text });
  const id = made?.["id"];
  expect(await namesOf(id)).toEqual(names);
  await query(`update pets set tags = '["other"]' where id = ${Number(id)}`);
  expect(await namesOf(id)).toEqual(["other"]);
  await env.DB.prepare("update pets set tags = ? where id = ?").bind(text, id).run();
  expect(await namesOf(id)).toEqual(names);
  await query(`delete from pets where id = ${Number(id)}`);
  expect(await namesOf(id)).toEqual([]);
});

test("sandboxes apply every migration", () => {
  const { journal, migrations } = MIGRATIONS;
  const missing = journal.entries
    .map(({ idx }) => `m${String(idx).padStart(4, "0")}`)
    .filter((key) => !(key in migrations));
  expect(missing, "import these migrations in src/sandbox/state.ts").toEqual([]);
});
