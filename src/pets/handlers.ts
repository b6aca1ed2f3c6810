import type { Context } from "hono";
import { meetsConditions } from "../db/conditions.ts";
import { isForeign } from "../http/access.ts";
import { resolvePath } from "../http/address.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError, type ErrorSpec } from "../http/errors.ts";
import { getConditions } from "../http/etag.ts";
import { writeError } from "../http/resource.ts";
import { runAfterResponse } from "../middleware/log.ts";
import { addImage, deleteImages } from "./images.ts";
import { deletePet, findPet, replacePet, updatePet, type PetRow } from "./queries.ts";
import type { Pet, PetChanges } from "./schemas.ts";

export const NOT_FOUND = [404, "Pet not found"] as const;

/** Finds a pet. Throws `ApiError` 404. */
export async function getPetOrThrow(c: Context<AppEnv>, id: number): Promise<PetRow> {
  const row = await findPet(c.get("db"), id);
  if (!row) throw new ApiError(NOT_FOUND);
  return row;
}

/** Replaces a pet. Throws `ApiError` 403, 404, 412. */
export async function replacePetOrThrow(c: Context<AppEnv>, pet: Pet): Promise<PetRow> {
  return (await replacePet(c.get("db"), pet, getConditions(c))) ?? throwWriteError(c, pet.id);
}

/** Updates fields of a pet. Throws `ApiError` 403, 404, 412. */
export async function updatePetOrThrow(c: Context<AppEnv>, id: number, changes: PetChanges): Promise<PetRow> {
  return (await updatePet(c.get("db"), id, changes, getConditions(c))) ?? throwWriteError(c, id);
}

/** Deletes a pet and, after the response, its files. Throws `ApiError` 403, 404, 412. */
export async function deletePetOrThrow(c: Context<AppEnv>, id: number): Promise<void> {
  if (!(await deletePet(c.get("db"), id, getConditions(c)))) await throwWriteError(c, id);
  runAfterResponse(c, deleteImages(c.get("images"), `${id}/`, new Date()));
}

/** Explains why a write matched no row. Throws `ApiError` 403, 404, 412. */
async function throwWriteError(c: Context<AppEnv>, id: number): Promise<never> {
  throw writeError(c, await findPet(c.get("db"), id), NOT_FOUND);
}

/**
 * Stores a file of a pet.
 * @throws ApiError 403, 404, 412, or `full` if the pet has no room for another URL
 */
export async function addImageOrThrow(c: Context<AppEnv>, id: number, file: Blob, full: ErrorSpec): Promise<void> {
  const conditions = getConditions(c);
  const pet = await findPet(c.get("db"), id);
  const isAllowed = pet && !isForeign(c, pet) && meetsConditions(conditions, pet.version);
  if (!isAllowed) throw writeError(c, pet, NOT_FOUND);
  const toUrl = (name: string) => resolvePath(c, `/v2/pet/${id}/images/${name}`);
  const row = await addImage(c.get("db"), c.get("images"), pet, file, toUrl, conditions);
  if (!row) await throwWriteError(c, id);
  if (row === "full") throw new ApiError(full, [{ path: "photoUrls", message: "have no room for another URL" }]);
}
