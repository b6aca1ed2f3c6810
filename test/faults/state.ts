import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { openPassword } from "../../src/user/passwords.ts";
import { database, images as imagesOfStore, sessions } from "../engine.ts";
import type { Store } from "../bindings.ts";

/** Restored in this order: rows of the first three fire the triggers that fill the others. */
const TABLES = [
  "pets",
  "orders",
  "users",
  "pet_tags",
  "inventory",
  "id_sequences",
  "pet_images",
] as const;
const DERIVED = TABLES.slice(3);

type Table = (typeof TABLES)[number];
type Row = Readonly<Record<string, string | number | null>>;

interface Image {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

/** All that the stores hold. */
export interface State {
  readonly tables: Readonly<Record<Table, readonly Row[]>>;
  readonly sessions: ReadonlyMap<string, string>;
  readonly images: ReadonlyMap<string, Image>;
}

/**
 * What the stores hold now; read from the stores themselves, past the service.
 * @param before what KV and R2 hold where nothing called them
 */
export async function readState(
  before?: State,
  called: readonly Store[] = ["KV", "R2"],
): Promise<State> {
  const results = await database.batch<Row>(
    TABLES.map((table) => database.prepare(`select * from ${table} order by 1, 2`)),
  );
  const tables = Object.fromEntries(
    TABLES.map((table, index) => [table, results[index]?.results ?? []]),
  ) as unknown as State["tables"];
  return {
    tables: before && isSame(before.tables, tables) ? before.tables : tables,
    sessions: before && !called.includes("KV") ? before.sessions : await readSessions(),
    images: before && !called.includes("R2") ? before.images : await readImages(),
  };
}

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);

async function readSessions(): Promise<State["sessions"]> {
  const { keys } = await sessions.list();
  const entries = keys.map(async ({ name }) => [name, (await sessions.get(name)) ?? ""] as const);
  return new Map(await Promise.all(entries));
}

async function readImages(): Promise<State["images"]> {
  const { objects } = await imagesOfStore.list();
  const entries = objects.map(async ({ key }) => {
    const object = await imagesOfStore.get(key);
    const contentType = object?.httpMetadata?.contentType ?? "";
    return [
      key,
      { bytes: new Uint8Array((await object?.arrayBuffer()) ?? []), contentType },
    ] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Makes the stores hold what they held before. @param now what they hold now */
export async function restore(state: State, now: State): Promise<void> {
  if (!isSame(state.tables, now.tables)) {
    await database.batch([
      ...TABLES.map(emptied),
      ...TABLES.slice(0, 3).flatMap((table) => filled(table, state)),
      ...DERIVED.map(emptied),
      ...DERIVED.flatMap((table) => filled(table, state)),
    ]);
  }
  for (const key of now.sessions.keys()) {
    if (!state.sessions.has(key)) await sessions.delete(key);
  }
  for (const [key, value] of state.sessions) {
    if (!now.sessions.has(key)) await sessions.put(key, value, { expirationTtl: 3600 });
  }
  for (const key of now.images.keys()) if (!state.images.has(key)) await imagesOfStore.delete(key);
  for (const [key, { bytes, contentType }] of state.images) {
    if (!now.images.has(key))
      await imagesOfStore.put(key, bytes, { httpMetadata: { contentType } });
  }
}

const emptied = (table: Table) => database.prepare(`delete from ${table}`);

function filled(table: Table, { tables }: State): D1PreparedStatement[] {
  const rows = tables[table];
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return [];
  const values = columns.map((column) => `value ->> '$.${column}'`);
  const names = columns.map((column) => `"${column}"`);
  // Text and numbers come out as they went in; the order of ids keeps the sequence's runs as they were.
  const sql = `insert into ${table} (${names.join()}) select ${values.join()} from json_each(?)`;
  return [database.prepare(sql).bind(JSON.stringify(rows))];
}

const NAME = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
export const withoutNames = (text: string): string => text.replaceAll(NAME, "*");

/** What the stores hold, part by part, with what is random left out. */
export interface Essence {
  readonly rows: string;
  readonly sessions: string;
  readonly images: string;
}

/** @param before tells which users have credentials that they had */
export async function essenceOf(state: State, before: State): Promise<Essence> {
  const { tables, sessions: ofState, images } = state;
  const known = new Map(before.tables.users.map((row) => [row["id"], row]));
  const users = tables.users.map(async (row) => ({
    ...row,
    sealedPassword: await passwordOf(row),
    credentialId: row["credentialId"] === known.get(row["id"] ?? null)?.["credentialId"],
    accountId: row["accountId"] === known.get(row["id"] ?? null)?.["accountId"],
  }));
  const rows = { ...tables, users: await Promise.all(users) };
  return {
    rows: withoutNames(
      JSON.stringify(rows, (name, value) => (name === "version" ? 0 : value) as unknown),
    ),
    // Their keys are digests of random tokens.
    sessions: String(ofState.size),
    images: withoutNames([...images.keys()].toSorted().join()),
  };
}

/** The version of each row that has one. */
export const versionsOf = ({ tables: { pets, orders, users } }: State): Map<string, number> =>
  new Map(
    Object.entries({ pets, orders, users }).flatMap(([table, rows]) =>
      rows.map((row) => [`${table} ${row["id"]}`, Number(row["version"])] as const),
    ),
  );

const opened = new Map<string, Promise<string | undefined>>();

/** What the sealed password of a user is. */
async function passwordOf(row: Row): Promise<string | undefined> {
  if (row["sealedPassword"] === null) return undefined;
  const credential = {
    sealedPassword: String(row["sealedPassword"]),
    credentialId: String(row["credentialId"]),
  };
  const key = JSON.stringify(credential);
  const password = opened.get(key) ?? openPassword([env.PASSWORD_KEY], credential);
  opened.set(key, password);
  return password;
}

const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();

/** Images that must go, or that are being uploaded: what the hourly run may have to finish. */
export const unfinished = ({ tables }: State): readonly Row[] =>
  tables.pet_images.filter(({ dueAt }) => dueAt !== null);

/** The key in R2 of the image of a row. */
const keyOf = (row: Row) => `${row["petId"]}/${row["name"]}`;

/** Checks that the derived tables agree with the rows, and R2 with the database. */
export function expectInvariants({ tables, images }: State): void {
  const { pets, users, orders } = tables;
  const known = new Set(tables.pet_images.map(keyOf));
  const nobodys = [...images.keys()].filter((key) => !known.has(key));
  expect(nobodys, "images that D1 does not know of").toEqual([]);
  const kept = tables.pet_images.filter(({ dueAt }) => dueAt === null);
  const lost = kept.map(keyOf).filter((key) => !images.has(key));
  expect(lost, "images that R2 does not have").toEqual([]);
  const ids = new Set(pets.map(({ id }) => id));
  const orphans = kept.filter(({ petId }) => !ids.has(petId ?? null));
  expect(orphans, "images of no pet").toEqual([]);
  const counted = ["available", "pending", "sold"].map((status) => ({
    status,
    quantity: pets.filter((pet) => pet["status"] === status).length,
  }));
  expect(tables.inventory, "inventory = counts").toEqual(counted);

  const tags = pets.flatMap(({ id, tags: json }) => {
    const items = JSON.parse(String(json ?? "[]")) as (string | { name?: string })[];
    const names = items.map((item) => (typeof item === "string" ? item : item.name));
    return [...new Set(names)].flatMap((tag) => (tag === undefined ? [] : [{ tag, petId: id }]));
  });
  expect(inOrder(tables.pet_tags), "tag rows = tags").toEqual(inOrder(tags));

  const next = new Map(tables.id_sequences.map((row) => [row["resource"], Number(row["next"])]));
  for (const [resource, rows] of Object.entries({ pets, users, orders })) {
    const taken = rows.map(({ id }) => Number(id));
    expect(taken, `the next id of ${resource} is free`).not.toContain(next.get(resource));
  }
}
