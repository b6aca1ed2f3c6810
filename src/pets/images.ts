import type { Database } from "../db/client.ts";
import { causesOf } from "../db/errors.ts";
import { retry } from "../db/retry.ts";
import type { Images } from "../http/env.ts";
import { addPhotoUrl, type PetRow } from "./queries.ts";

/** The maximum size of a file, in bytes. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** The maximum size of a form with a file, whose other parts are small. */
export const MAX_FORM_BYTES = MAX_FILE_BYTES + 64 * 1024;

/** The types that browsers display, with the first bytes of their files as Latin-1. Any other file is a download. */
const SHOWN_TYPES = [
  { contentType: "image/png", extension: ".png", start: /^\u0089PNG\r\n/ },
  { contentType: "image/jpeg", extension: ".jpg", start: /^\xff\xd8\xff/s },
  { contentType: "image/gif", extension: ".gif", start: /^GIF8.a/s },
  { contentType: "image/webp", extension: ".webp", start: /^RIFF....WEBP/s },
];
const LONGEST_START = 12;

/** The type of files that browsers must not display. */
export const DOWNLOAD = "application/octet-stream";

/** The names of stored files. */
export const IMAGE_NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.(?:png|jpg|gif|webp))?$/;

/**
 * Stores a file of a pet, and appends its URL to the pet's `photoUrls`. The file's content determines its type, not its name or
 * media type.
 * @param urlOf the URL of a file by its name: a UUID with the extension of its type
 * @returns `undefined` if the pet was deleted, "full" if it has no room for another URL; in both cases nothing is stored
 */
export async function addImage(
  db: Database,
  images: Images,
  pet: PetRow,
  file: Blob,
  urlOf: (name: string) => string,
): Promise<PetRow | "full" | undefined> {
  const start = Buffer.from(await file.slice(0, LONGEST_START).arrayBuffer());
  const type = SHOWN_TYPES.find((each) => each.start.test(start.toString("latin1")));
  const name = crypto.randomUUID() + (type?.extension ?? "");
  const httpMetadata = { contentType: type?.contentType ?? DOWNLOAD };
  await retry(() => images.put(`${pet.id}/${name}`, file, { httpMetadata }));
  // If this fails, the file stays until the pet is deleted: the database may have stored its URL nevertheless.
  const updated = await addPhotoUrl(db, pet, urlOf(name));
  if (!updated || updated === "full") await retry(() => images.delete(`${pet.id}/${name}`));
  return updated;
}

/** Returns Swagger Petstore's message for an upload. */
export const uploadMessage = (name: string, size: number, metadata: string | undefined): string =>
  `${metadata === undefined ? "" : `additionalMetadata: ${metadata}\n`}File uploaded to ./${name}, ${size} bytes`;

/**
 * The file, or its part that the request's `Range` asks for.
 * @param onlyIf if this does not hold, the file comes without a body
 * @returns "unsatisfiable" if R2 says that the range is beyond the file's end
 */
export async function findImage(
  images: Images,
  petId: number,
  name: string,
  onlyIf: Headers,
  headers: Headers,
): Promise<R2ObjectBody | R2Object | "unsatisfiable" | null> {
  if (!IMAGE_NAME.test(name)) return null;
  // R2 does not know `If-Range`. To ignore the range is always right.
  const range = headers.has("If-Range") ? {} : { range: headers };
  try {
    return await retry(() => images.get(`${petId}/${name}`, { onlyIf, ...range }));
  } catch (error) {
    if (causesOf(error).some(({ message }) => message.includes("(10039)"))) return "unsatisfiable";
    throw error;
  }
}

/** Deletes the files below a prefix, but none that was stored later: another pet may have the id by then. */
export async function deleteImages(
  images: Pick<Images, "list" | "delete">,
  prefix: string,
  before: Date,
): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await retry(() => images.list({ prefix, ...(cursor !== undefined && { cursor }) }));
    const keys = page.objects.filter(({ uploaded }) => uploaded <= before).map(({ key }) => key);
    if (keys.length > 0) await retry(() => images.delete(keys));
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}
