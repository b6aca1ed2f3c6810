import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { columnsOf } from "../db/rows.ts";
import { pets } from "../db/schema.ts";
import type { NewPet } from "./pet.ts";
import { members } from "./show.ts";
import type { Kind } from "./show.ts";

/** A row of `pets`. */
export type PetRow = typeof pets.$inferSelect;

/** The most bytes that a column takes as JSON. */
const BYTES: Readonly<Record<Kind, (column: SQL) => SQL>> = {
  integer: () => sql.raw(String(`${Number.MIN_SAFE_INTEGER}`.length)),
  text: (column) => sql`coalesce(octet_length(json_quote(${column})), 0)`,
  json: (column) => sql`coalesce(octet_length(${column}), 0)`,
};

/** The most bytes of JSON that a stored pet has. @param name the name that it has or would have */
export function bytesOfPet(name: SQL = sql`"name"`): SQL {
  const sizes = members.map((member) =>
    BYTES[member.kind](member.name === "name" ? name : sql`${sql.identifier(member.name)}`),
  );
  const rest = members.map(({ opening }) => opening).join("").length + "}".length;
  return sql`(${sql.join(sizes, sql` + `)} + ${sql.raw(String(rest))})`;
}

/** The values of a new pet's columns. Without an id, the database generates one. */
export function toColumns(pet: NewPet) {
  return columnsOf(pets, {
    ...pet,
    category: pet.category && JSON.stringify(pet.category),
    photoUrls: JSON.stringify(pet.photoUrls),
    tags: pet.tags && JSON.stringify(pet.tags),
  });
}

export type PetColumns = ReturnType<typeof toColumns>;
