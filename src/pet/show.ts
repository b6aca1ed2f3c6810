import { JsonText } from "../http/operation.ts";
import type { Pet, PetStatus } from "./pet.ts";

/** A pet as it is stored. `category`, `photoUrls` and `tags` are JSON. */
export interface StoredPet {
  readonly id: number;
  readonly category: string | null;
  readonly name: string;
  readonly photoUrls: string;
  readonly tags: string | null;
  readonly status: PetStatus | null;
}

/** How each member is stored, in the order of a pet's JSON. */
const STORED = {
  id: "integer",
  category: "json",
  name: "text",
  photoUrls: "json",
  tags: "json",
  status: "text",
} as const satisfies Record<keyof Pet, string>;

export type Kind = (typeof STORED)[keyof Pet];

/** How a stored value becomes JSON. To parse stored JSON and write it again would take most of a page's time. */
const WRITE: Readonly<Record<Kind, (stored: unknown) => string>> = {
  integer: String,
  text: JSON.stringify,
  json: String,
};

/** The members of a pet, each with what is written before its value. */
export const members = Object.entries(STORED).map(([name, kind], index) => ({
  // The keys of STORED.
  name: name as keyof Pet,
  kind,
  opening: `${index === 0 ? "{" : ","}"${name}":`,
  write: WRITE[kind],
}));

/** A pet as it was sent. */
export function asSent(stored: StoredPet): JsonText<Pet> {
  let pet = "";
  for (const { name, opening, write } of members) {
    const value = stored[name];
    if (value !== null) pet += opening + write(value);
  }
  return new JsonText(`${pet}}`);
}

/** A pet with an array of photo URLs and with objects as tags, whatever was sent (interface §11.3). */
export function inLists(stored: StoredPet): JsonText<Pet> {
  const urls = JSON.parse(stored.photoUrls) as string | string[];
  const tags = JSON.parse(stored.tags ?? "null") as NonNullable<Pet["tags"]> | null;
  const listed = typeof urls === "string" ? urls.split(",").map((url) => url.trim()) : urls;
  const named = tags?.map((tag) => (typeof tag === "string" ? { name: tag } : tag)) ?? null;
  const photoUrls = JSON.stringify(listed);
  return asSent({ ...stored, photoUrls, tags: named && JSON.stringify(named) });
}
