import type { Database } from "../db/client.ts";
import { causesOf, retry } from "../db/retry.ts";
import { addPhotoUrl, type PetRow } from "./queries.ts";

/** The part of R2 that images use. */
export interface Images {
  get(key: string, options?: R2GetOptions): Promise<R2ObjectBody | R2Object | null>;
  put(key: string, value: Blob, options?: R2PutOptions): Promise<unknown>;
  list(options: R2ListOptions): Promise<{
    readonly objects: readonly { readonly key: string; readonly uploaded: Date }[];
    readonly truncated: boolean;
    readonly cursor?: string;
  }>;
  delete(keys: string | string[]): Promise<void>;
}

/** The largest file, in bytes. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** The largest form with a file: what stands around the file is small. */
export const MAX_FORM_BYTES = MAX_FILE_BYTES + 64 * 1024;

/** The types that browsers show, by how their files begin: Latin-1, `.` is any byte. Every other file is a download. */
const SHOWN_TYPES = [
  { contentType: "image/png", extension: ".png", beginning: /^\u0089PNG\r\n/ },
  { contentType: "image/jpeg", extension: ".jpg", beginning: /^\xff\xd8\xff/s },
  { contentType: "image/gif", extension: ".gif", beginning: /^GIF8.a/s },
  { contentType: "image/webp", extension: ".webp", beginning: /^RIFF....WEBP/s },
];
const LONGEST_BEGINNING = 12;

/** The type of every file that browsers must not show. */
export const DOWNLOAD = "application/octet-stream";

/** The names that files get. */
export const IMAGE_NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.(?:png|jpg|gif|webp))?$/;

/**
 * Stores a file of a pet, and appends its URL to the pet's `photoUrls`. The file's content decides its type, not its name
 * or what the client calls it.
 * @param urlOf the URL of a file by its name: a UUID with the extension of its type
 * @returns `undefined` if the pet went meanwhile, "full" if it has no room for another URL; then nothing is stored
 */
export async function addImage(
  db: Database,
  images: Images,
  pet: PetRow,
  file: Blob,
  urlOf: (name: string) => string,
): Promise<PetRow | "full" | undefined> {
  const beginning = Buffer.from(await file.slice(0, LONGEST_BEGINNING).arrayBuffer());
  const type = SHOWN_TYPES.find((each) => each.beginning.test(beginning.toString("latin1")));
  const name = crypto.randomUUID() + (type?.extension ?? "");
  const httpMetadata = { contentType: type?.contentType ?? DOWNLOAD };
  await retry(() => images.put(`${pet.id}/${name}`, file, { httpMetadata }));
  // If this fails, the file stays until the pet goes: the database may have stored its URL all the same.
  const changed = await addPhotoUrl(db, pet, urlOf(name));
  if (!changed || changed === "full") await retry(() => images.delete(`${pet.id}/${name}`));
  return changed;
}

/** Why a pet is "full". */
export const NO_ROOM = { path: "photoUrls", message: "have no room for another URL" };

/** What Swagger Petstore says of an upload. */
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
