import type { Claim } from "../db/idempotency.ts";
import { available } from "../unavailable.ts";
import { IMAGE_NAME } from "./contract.ts";

interface ImageType {
  readonly contentType: string;
  readonly extension: string;
  /** What its files begin with; `undefined` stands for any byte. */
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

/** The type of an image by its content, whatever its name says; `undefined` where it is none we take. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  return IMAGE_TYPES.find(({ signature }) =>
    signature.every((byte, index) => byte === any || byte === bytes[index]),
  );
}

/** As many characters as a UUID has. */
const STEM_LENGTH = 36;

const keyOf = (petId: number, name: string) => `${petId}/${name}`;

/**
 * A name for a new image that nobody can guess. A request that repeats a claim gets the same, and so stores the
 * same bytes in the same place.
 */
export function imageName({ extension }: ImageType, claim: Claim | undefined): string {
  const half = STEM_LENGTH / 2;
  const stem = claim
    ? claim.key.slice(0, half) + claim.request.slice(0, half)
    : crypto.randomUUID();
  return `${stem}.${extension}`;
}

/** Stores an image of a pet. */
export async function storeImage(
  images: R2Bucket,
  petId: number,
  name: string,
  bytes: Uint8Array,
  { contentType }: ImageType,
): Promise<void> {
  await available(() => images.put(keyOf(petId, name), bytes, { httpMetadata: { contentType } }));
}

/** Where the image is served: a relative reference, good on every host. */
export function imageUrl(petId: number, name: string): string {
  return `/v2/pet/${petId}/images/${name}`;
}

/** What is known of the image of this name, without its bytes. */
export async function findImage(
  images: R2Bucket,
  petId: number,
  name: string,
): Promise<R2Object | undefined> {
  if (!IMAGE_NAME.test(name)) return undefined;
  return (await available(() => images.head(keyOf(petId, name)))) ?? undefined;
}

/** One range of bytes; others may be ignored (RFC 9110 §14.2). */
const ONE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

/** Part of an image, from its first byte to its last. */
export interface Part {
  readonly first: number;
  readonly last: number;
}

/**
 * The part of `size` bytes that a `Range` header asks for.
 * @returns `undefined`: all of them, as the header sets no range that must be heeded; "unsatisfiable": none
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

/** The bytes of an image, or a part of them. */
export async function readImage(
  images: R2Bucket,
  petId: number,
  name: string,
  part: Part | undefined,
): Promise<ReadableStream | undefined> {
  const range = part && { offset: part.first, length: part.last - part.first + 1 };
  const image = await available(() => images.get(keyOf(petId, name), range && { range }));
  return image?.body;
}

/** Deletes one image of a pet. */
export async function deleteImage(images: R2Bucket, petId: number, name: string): Promise<void> {
  await available(() => images.delete(keyOf(petId, name)));
}

/** Deletes all images of a pet. */
export async function deleteImages(images: R2Bucket, petId: number): Promise<void> {
  // R2 lists, and deletes, at most 1,000 objects a call.
  for (let more = true; more;) {
    const { objects, truncated } = await available(() => images.list({ prefix: `${petId}/` }));
    if (objects.length > 0) await available(() => images.delete(objects.map(({ key }) => key)));
    more = truncated;
  }
}
