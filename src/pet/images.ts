import { BASE_PATH } from "../http/base-path.ts";
import type { Database } from "../db/client.ts";
import type { Part } from "../http/range.ts";
import type { ImageSpace } from "../services.ts";
import { tryRepeatedly } from "../platform/failures.ts";
import { DOWNLOAD, IMAGE_NAME } from "./contract.ts";
import { forgetImages, listDueImages } from "./image-queries.ts";
import type { ImageKey } from "./image-queries.ts";

interface FileType {
  readonly contentType: string;
  readonly extension: string;
}

interface ShownType extends FileType {
  /** How a file of this type begins: each byte as the character of its number, `?` for any byte. */
  readonly beginning: string;
}

/** The types that browsers show. Every other file is a download. */
const SHOWN_TYPES: readonly ShownType[] = [
  { contentType: "image/png", extension: ".png", beginning: "\x89PNG\r\n\x1a\n" },
  { contentType: "image/jpeg", extension: ".jpg", beginning: "\xff\xd8\xff" },
  { contentType: "image/gif", extension: ".gif", beginning: "GIF8?a" },
  { contentType: "image/webp", extension: ".webp", beginning: "RIFF????WEBP" },
];

const LONGEST_BEGINNING = Math.max(...SHOWN_TYPES.map(({ beginning }) => beginning.length));

/** The type of a file. Its content decides, not its name or what the client calls it. */
export async function typeOf(file: File): Promise<FileType> {
  const bytes = await file.slice(0, LONGEST_BEGINNING).bytes();
  const shown = SHOWN_TYPES.find(({ beginning }) =>
    [...beginning].every((byte, at) => byte === "?" || byte.charCodeAt(0) === bytes[at]),
  );
  return shown ?? { contentType: DOWNLOAD, extension: "" };
}

const keyOf = ({ petId, name }: ImageKey) => `${petId}/${name}`;

/** A name for a new image. Nobody can guess it, and no other image ever gets it. */
export function imageName({ extension }: FileType): string {
  return `${crypto.randomUUID()}${extension}`;
}

/** Stores an image of a pet. */
export async function storeImage(
  images: ImageSpace,
  image: ImageKey,
  file: File,
  { contentType }: FileType,
): Promise<void> {
  await tryRepeatedly(() => images.put(keyOf(image), file, { httpMetadata: { contentType } }));
}

/** The URL of the image: a relative reference, which is valid on every host. @param storePath of the sandbox */
export function imageUrl(storePath: string, { petId, name }: ImageKey): string {
  return `${storePath}${BASE_PATH}/pet/${petId}/images/${name}`;
}

/**
 * The image with this name. One call to R2.
 * @param withBytes whether all of its bytes are needed
 */
export async function findImage(
  images: ImageSpace,
  image: ImageKey,
  withBytes: boolean,
): Promise<R2Object | R2ObjectBody | undefined> {
  if (!IMAGE_NAME.test(image.name)) return undefined;
  const key = keyOf(image);
  const call = async () => (withBytes ? images.get(key) : images.head(key));
  return (await tryRepeatedly<R2Object | null>(call)) ?? undefined;
}

/**
 * The bytes of an image, or a part of them. One call to R2, unless the image was found with its bytes.
 * @returns `undefined` if it was deleted in the meantime
 */
export async function bytesOf(
  images: ImageSpace,
  image: ImageKey,
  found: R2Object | R2ObjectBody,
  part: Part | undefined,
): Promise<ReadableStream | undefined> {
  if ("body" in found) return found.body;
  const range = part && { offset: part.first, length: part.last - part.first + 1 };
  const options = range && { range };
  return (await tryRepeatedly(() => images.get(keyOf(image), options)))?.body;
}

/** The largest number of objects that R2 deletes in one call. */
const MOST_AT_ONCE = 1000;

/** Deletes images that are marked for deletion. D1 keeps their records until R2 has deleted them. */
export async function deleteImages(
  db: Database,
  images: ImageSpace,
  keys: readonly ImageKey[],
): Promise<void> {
  for (let done = 0; done < keys.length; done += MOST_AT_ONCE) {
    const some = keys.slice(done, done + MOST_AT_ONCE);
    await tryRepeatedly(() => images.delete(some.map(keyOf)));
    await forgetImages(db, some);
  }
}

/** The largest number of images that one hourly run deletes. */
const MOST_A_RUN = 10 * MOST_AT_ONCE;

/**
 * Deletes the images that an interrupted request left: those of deleted pets, and those whose upload has expired.
 * @param now milliseconds since the epoch
 */
export async function deleteDueImages(
  db: Database,
  images: ImageSpace,
  now: number,
): Promise<void> {
  for (let done = 0; done < MOST_A_RUN; done += MOST_AT_ONCE) {
    const due = await listDueImages(db, now, MOST_AT_ONCE);
    await deleteImages(db, images, due);
    if (due.length < MOST_AT_ONCE) return;
  }
}
