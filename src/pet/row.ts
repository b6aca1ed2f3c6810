import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { pets } from "../db/schema.ts";
import { JsonText } from "../http/json-text.ts";
import { PetStatus } from "./contract.ts";
import type { NewPet, Pet } from "./contract.ts";

/** A row of `pets`: a pet as it is stored. */
export type PetRow = typeof pets.$inferSelect;

/** The members of a pet: the columns of its row without the version. */
type Member = Exclude<keyof Pet | keyof PetRow, "version">;

/** How a column becomes JSON. */
interface Kind<Value> {
  readonly toJson: (value: Value) => string;
  /** The most bytes of that JSON. @param column its value in SQL */
  readonly bytes: (column: SQL) => SQL;
}

const integer: Kind<number> = {
  toJson: String,
  bytes: () => sql.raw(String(`${Number.MIN_SAFE_INTEGER}`.length)),
};

const text: Kind<string> = {
  toJson: JSON.stringify,
  bytes: (column) => sql`coalesce(octet_length(json_quote(${column})), 0)`,
};

/** Sent unchanged: to parse the JSON and write it again would take most of a page's time. */
const json: Kind<string> = {
  toJson: (stored) => stored,
  bytes: (column) => sql`coalesce(octet_length(${column}), 0)`,
};

/** One of a few words, which JSON only puts into quotes. */
const oneOf = <Word extends string>(words: readonly Word[]): Kind<Word> => ({
  toJson: (word) => `"${word}"`,
  bytes: () => sql.raw(String(Math.max(...words.map(({ length }) => length)) + 2)),
});

/** The members of a pet, in the order of its JSON. */
const MEMBERS: { readonly [Name in Member]: Kind<NonNullable<PetRow[Name]>> } = {
  id: integer,
  category: json,
  name: text,
  photoUrls: json,
  tags: json,
  status: oneOf(PetStatus.options),
};

const members = Object.entries(MEMBERS).map(([name, kind], index) => ({
  name: name as Member,
  opening: `${index === 0 ? "{" : ","}"${name}":`,
  ...(kind as Kind<unknown>),
}));

/** A pet as it was sent. */
export function asSent(row: PetRow): JsonText<Pet> {
  let pet = "";
  for (const { name, opening, toJson } of members) {
    const value = row[name];
    if (value !== null) pet += opening + toJson(value);
  }
  return new JsonText(`${pet}}`);
}

/** A pet with an array of photo URLs and with objects as tags, whatever was sent (interface §11.3). */
export function inLists(row: PetRow): JsonText<Pet> {
  const urls = JSON.parse(row.photoUrls) as string | string[];
  const tags = JSON.parse(row.tags ?? "null") as NonNullable<Pet["tags"]> | null;
  const listed = typeof urls === "string" ? urls.split(",").map((url) => url.trim()) : urls;
  const named = tags?.map((tag) => (typeof tag === "string" ? { name: tag } : tag)) ?? null;
  const photoUrls = JSON.stringify(listed);
  return asSent({ ...row, photoUrls, tags: named && JSON.stringify(named) });
}

/** The most bytes of JSON that a stored pet has. @param name the name that it has or would have */
export function bytesOfPet(name: SQL = sql`"name"`): SQL {
  const sizes = members.map((member) =>
    member.bytes(member.name === "name" ? name : sql`${sql.identifier(member.name)}`),
  );
  const rest = members.map(({ opening }) => opening).join("").length + "}".length;
  return sql`(${sql.join(sizes, sql` + `)} + ${sql.raw(String(rest))})`;
}

/** The columns of a new row. */
export function toColumns(pet: NewPet) {
  return {
    id: pet.id ?? null,
    category: pet.category === undefined ? null : JSON.stringify(pet.category),
    name: pet.name,
    photoUrls: JSON.stringify(pet.photoUrls),
    tags: pet.tags === undefined ? null : JSON.stringify(pet.tags),
    status: pet.status ?? null,
  } satisfies Record<Member, unknown>;
}
