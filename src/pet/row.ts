import { sql } from "drizzle-orm";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { columnsOf } from "../db/rows.ts";
import { pets } from "../db/schema.ts";
import type { NewPet } from "./pet.ts";

/** A row of `pets`. */
export type PetRow = typeof pets.$inferSelect;

const bytesOfText = (text: SQLWrapper) => sql`coalesce(octet_length(json_quote(${text})), 0)`;
const bytesOfJson = (json: SQLWrapper) => sql`coalesce(octet_length(${json}), 0)`;

/** The bytes of a pet's JSON besides its values, with the longest id. */
const REST = `{"id":${Number.MIN_SAFE_INTEGER},"category":,"name":,"photoUrls":,"tags":,"status":}`
  .length;

/** The most bytes of JSON that a stored pet has. @param name the name that it has or would have */
export function bytesOfPet(name: SQLWrapper = pets.name): SQL {
  const { category, photoUrls, tags, status } = pets;
  return sql`(${sql.raw(String(REST))} + ${bytesOfJson(category)} + ${bytesOfText(name)} + ${bytesOfJson(photoUrls)} + ${bytesOfJson(tags)} + ${bytesOfText(status)})`;
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
