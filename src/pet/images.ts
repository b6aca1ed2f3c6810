import type { Database } from "../db/client.ts";
import type { Named } from "../db/conditions.ts";
import type { ImageSpace } from "../services.ts";
import { tryRepeatedly } from "../retries.ts";
import { IMAGE_NAME } from "./contract.ts";
import { forgetImages, listDueImages } from "./image-queries.ts";
import type { ImageKey } from "./image-queries.ts";

interface ImageType {
  readonly contentType: string;
  readonly extension: string;
  /** The first bytes of a file of this type. `undefined` means any byte. */
  readonly signature: readonly (number | undefined)[];
}

const any = undefined;
const IMAGE_TYPES: readonly ImageType[] = [
  {
    contentType: "image/png",
    extension: "png",
    signature: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  },
  { contentType: "image/jpeg", extension: "jpg", signature: [0xff, 0xd8, 0xff] },
  { contentType: "image/gif", extension: "gif", signature: [0x47, 0x49, 0x46, 0x38, any, 0x61] },
  {
    contentType: "image/webp",
    extension: "webp",
    signature: [0x52, 0x49, 0x46, 0x46, any, any, any, any, 0x57, 0x45, 0x42, 0x50],
  },
];

const LONGEST_SIGNATURE = Math.max(...IMAGE_TYPES.map(({ signature }) => signature.length));

/** The type of an image. Its content decides, not its name. `undefined` if the service does not accept the type. */
export async function imageTypeOf(file: File): Promise<ImageType | undefined> {
  const bytes = await file.slice(0, LONGEST_SIGNATURE).bytes();
  return IMAGE_TYPES.find(({ signature }) =>
    signature.every((byte, index) => byte === any || byte === bytes[index]),
  );
}

const keyOf = ({ petId, name }: ImageKey) => `${petId}/${name}`;

/** A name for a new image. Nobody can guess it, and no other image ever gets it. */
export function imageName({ extension }: ImageType): string {
  return `${crypto.randomUUID()}.${extension}`;
}

/** Stores an image of a pet. */
export async function storeImage(
  images: ImageSpace,
  image: ImageKey,
  file: File,
  { contentType }: ImageType,
): Promise<void> {
  await tryRepeatedly(() => images.put(keyOf(image), file, { httpMetadata: { contentType } }));
}

/** The URL of the image: a relative reference, which is valid on every host. @param basePath of the interface */
export function imageUrl(basePath: string, { petId, name }: ImageKey): string {
  return `${basePath}/pet/${petId}/images/${name}`;
}

/** The part of an image that a request asks for. */
export interface Asked {
  /** The value of the header `Range`. */
  readonly range: string;
  /** The entity tags of `If-None-Match`. If the image has one of them, its bytes must not be sent. */
  readonly excluded: Named<string>;
}

/**
 * The image with this name: one call to R2, or two if the range is outside the image.
 * @param asked left out if the bytes are not needed
 * @returns no body if R2 found that no bytes must be sent
 */
export async function findImage(
  images: ImageSpace,
  image: ImageKey,
  asked?: Asked,
): Promise<R2Object | R2ObjectBody | undefined> {
  if (!IMAGE_NAME.test(image.name)) return undefined;
  const key = keyOf(image);
  // If the range is outside the longest possible image, it is outside every image.
  const part = partOf(asked?.range ?? "", LONGEST_BYTES);
  if (!asked || part === "unsatisfiable") {
    return (await tryRepeatedly(() => images.head(key))) ?? undefined;
  }
  const onlyIf = conditionInR2(asked.excluded);
  const options = {
    ...(part && { range: rangeInR2(part, asked.range) }),
    ...(onlyIf && { onlyIf }),
  };
  return (await tryRepeatedly(async () => getOrHead(images, key, options))) ?? undefined;
}

/** The longest object of R2, 5 TiB: https://developers.cloudflare.com/r2/platform/limits/. */
const LONGEST_BYTES = 5 * 1024 ** 4;

/** The range as a header. With an object, R2's simulator fails if the range begins just after the end of the image. */
function rangeInR2({ first, last }: Part, header: string): Headers {
  const from = header.startsWith("bytes=-") ? "" : first;
  const to = from === "" ? LONGEST_BYTES - first : last;
  return new Headers({ Range: `bytes=${from}-${to === LONGEST_BYTES - 1 ? "" : to}` });
}

/** The form of R2's entity tags: an MD5 in hexadecimal. R2 refuses headers that it does not understand. */
const R2_TAG = /^[\da-f-]+$/;

/** The condition for R2. `undefined` if R2 must return the bytes, whatever the tag is. */
function conditionInR2(excluded: Named<string>): Headers | undefined {
  const tags = excluded === "any" ? [] : excluded.filter((tag) => R2_TAG.test(tag));
  if (tags.length === 0) return undefined;
  return new Headers({ "If-None-Match": tags.map((tag) => `"${tag}"`).join(", ") });
}

/** R2's error for a range that has no bytes (https://developers.cloudflare.com/r2/api/error-codes/). */
const INVALID_RANGE = "(10039)";

/**
 * Gets an object. If the object has no such range, gets only its metadata, because R2's error does not state the
 * length.
 */
async function getOrHead(
  images: ImageSpace,
  key: string,
  options: R2GetOptions,
): Promise<R2Object | R2ObjectBody | null> {
  try {
    return await images.get(key, options);
  } catch (fault) {
    if (fault instanceof Error && fault.message.includes(INVALID_RANGE)) return images.head(key);
    throw fault;
  }
}

/** Cancels the body of an image whose bytes must not be sent. */
export async function discard(image: R2Object | R2ObjectBody): Promise<void> {
  if ("body" in image) await image.body.cancel();
}

/** The form of one range of bytes. A server may ignore all others (RFC 9110 §14.2). */
const ONE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

/** Part of an image, from its first byte to its last. */
export interface Part {
  readonly first: number;
  readonly last: number;
}

/**
 * The part of `size` bytes that a `Range` header asks for.
 * @returns `undefined` for all bytes, if the header has no valid range; "unsatisfiable" for none
 */
export function partOf(range: string, size: number): Part | "unsatisfiable" | undefined {
  const [, from, to = "", suffix] = ONE_RANGE.exec(range) ?? [];
  if (suffix !== undefined) {
    const first = Math.max(0, size - Number(suffix));
    return first < size ? { first, last: size - 1 } : "unsatisfiable";
  }
  if (from === undefined || (to !== "" && Number(to) < Number(from))) return undefined;
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return Number(from) < size ? { first: Number(from), last } : "unsatisfiable";
}

/** The bytes of an image that was found, or a part of them. `undefined` if it was deleted in the meantime. */
export async function bytesOf(
  images: ImageSpace,
  image: ImageKey,
  found: R2Object | R2ObjectBody,
  part: Part | undefined,
): Promise<ReadableStream | undefined> {
  const { first, last } = part ?? { first: 0, last: found.size - 1 };
  const range = { offset: first, length: last - first + 1 };
  const given = found.range as { offset?: number; length?: number } | undefined;
  const { offset = 0, length = found.size } = given ?? {};
  if ("body" in found && offset === range.offset && length === range.length) return found.body;
  // R2 understood the header differently.
  await discard(found);
  const again = await tryRepeatedly(async () => images.get(keyOf(image), { range }));
  return again && "body" in again ? again.body : undefined;
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
