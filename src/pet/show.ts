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

/** A pet as it was sent. To parse stored JSON and write it again would take most of a page's time. */
export function asSent({ id, category, name, photoUrls, tags, status }: StoredPet): JsonText<Pet> {
  let pet = `{"id":${id}`;
  if (category !== null) pet += `,"category":${category}`;
  pet += `,"name":${JSON.stringify(name)},"photoUrls":${photoUrls}`;
  if (tags !== null) pet += `,"tags":${tags}`;
  if (status !== null) pet += `,"status":"${status}"`;
  return new JsonText(`${pet}}`);
}

/** A pet with an array of photo URLs and with objects as tags, whatever was sent (interface §11.3). */
export function inLists(stored: StoredPet): JsonText<Pet> {
  // As the contract accepted them.
  const urls = JSON.parse(stored.photoUrls) as string | string[];
  const tags = JSON.parse(stored.tags ?? "null") as NonNullable<Pet["tags"]> | null;
  const listed = typeof urls === "string" ? urls.split(",").map((url) => url.trim()) : urls;
  const named = tags?.map((tag) => (typeof tag === "string" ? { name: tag } : tag)) ?? null;
  const photoUrls = JSON.stringify(listed);
  return asSent({ ...stored, photoUrls, tags: named && JSON.stringify(named) });
}
