import type { Database } from "../db/client.ts";
import type { Conditions } from "../db/conditions.ts";
import { retry } from "../db/retry.ts";
import type { Images } from "../http/env.ts";
import { addPhotoUrl } from "./photo-urls.ts";
import type { PetRow } from "./queries.ts";

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
 * @param toUrl the URL of a file by its name: a UUID with the extension of its type
 * @param conditions the conditions of the request, which the pet must match
 * @returns what `addPhotoUrl` returns; unless that is the pet, nothing is stored
 */
export async function addImage(
  db: Database,
  images: Images,
  pet: PetRow,
  file: Blob,
  toUrl: (name: string) => string,
  conditions: Conditions,
): ReturnType<typeof addPhotoUrl> {
  const start = Buffer.from(await file.slice(0, LONGEST_START).arrayBuffer());
  const type = SHOWN_TYPES.find((each) => each.start.test(start.toString("latin1")));
  const name = crypto.randomUUID() + (type?.extension ?? "");
  const httpMetadata = { contentType: type?.contentType ?? DOWNLOAD };
  await retry(() => images.put(`${pet.id}/${name}`, file, { httpMetadata }));
  // If this fails, the file stays until the pet is deleted: the database may have stored its URL nevertheless.
  const updated = await addPhotoUrl(db, pet, toUrl(name), conditions);
  if (typeof updated !== "object") await retry(() => images.delete(`${pet.id}/${name}`));
  return updated;
}

/** Returns Swagger Petstore's message for an upload. */
export const uploadMessage = (name: string, size: number, metadata: string | undefined): string =>
  `${metadata === undefined ? "" : `additionalMetadata: ${metadata}\n`}File uploaded to ./${name}, ${size} bytes`;

/** The bytes that a `Range` selects. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Parses a `Range` for a file of this size. Returns `undefined` for an invalid range or several, which are ignored. */
function parseRange(range: string, size: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? [];
  if (first === "") {
    const length = Math.min(Number(last), size);
    return last === "" ? undefined : { offset: size - length, length };
  }
  const [offset, end] = [Number(first), last === "" ? size : Number(last) + 1];
  return end <= offset && last !== "" ? undefined : { offset, length: Math.min(end, size) - offset };
}

/**
 * Finds a file, or the part of it that a `Range` selects.
 * @param onlyIf if these conditions do not hold, the file comes without a body
 * @returns the file and, if the range is valid, the part. If the part begins at or beyond the end, the file is whole
 */
export async function findImage(
  images: Images,
  petId: number,
  name: string,
  onlyIf: Headers,
  range: string | undefined,
): Promise<{ readonly file: R2ObjectBody | R2Object; readonly part: ByteRange | undefined } | undefined> {
  if (!IMAGE_NAME.test(name)) return undefined;
  const key = `${petId}/${name}`;
  // R2 ignores a `Range` header beyond the end, and its error for a range option has no size.
  const head = range === undefined ? null : await retry(() => images.head(key));
  const part = head ? parseRange(range ?? "", head.size) : undefined;
  const file = await retry(() => images.get(key, { onlyIf, ...(part && part.length > 0 && { range: part }) }));
  return file ? { file, part } : undefined;
}

/** Deletes the files below a prefix, except files that were stored later: by then, another pet may have the ID. */
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
