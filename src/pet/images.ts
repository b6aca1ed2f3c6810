import { available } from "../unavailable.ts";

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

const keyOf = (petId: number, name: string) => `${petId}/${name}`;

/** Stores an image of a pet under a new name. @returns the name */
export async function storeImage(
  images: R2Bucket,
  petId: number,
  bytes: Uint8Array,
  { contentType, extension }: ImageType,
): Promise<string> {
  const name = `${crypto.randomUUID()}.${extension}`;
  await available(() => images.put(keyOf(petId, name), bytes, { httpMetadata: { contentType } }));
  return name;
}

/** Where the image is served: a relative reference, good on every host. */
export function imageUrl(petId: number, name: string): string {
  return `/v2/pet/${petId}/images/${name}`;
}

/** One range of bytes; others may be ignored (RFC 9110 §14.2). */
const ONE_RANGE = /^bytes=(?:\d+-\d*|-\d+)$/;

/** An image as it was asked for. */
export interface FoundImage {
  /** Without `body` where the client has it already. */
  readonly image: R2Object | R2ObjectBody;
  /** The part that was asked for, from its first byte to its last. */
  readonly part?: { readonly first: number; readonly last: number };
}

/**
 * Reads an image, as `If-None-Match` and `Range` ask for.
 * @returns `undefined`: there is no such image; "unsatisfiable": the range is outside of it
 */
export async function findImage(
  images: R2Bucket,
  petId: number,
  name: string,
  headers: Headers,
): Promise<FoundImage | "unsatisfiable" | undefined> {
  const ifNoneMatch = headers.get("if-none-match");
  const range = headers.get("range") ?? "";
  // A range that hangs on If-Range may always be answered with the whole (RFC 9110 §13.1.5).
  const ranged = ONE_RANGE.test(range) && !headers.has("if-range");
  const image = await available(() =>
    images.get(keyOf(petId, name), {
      ...(ifNoneMatch !== null && { onlyIf: new Headers({ "If-None-Match": ifNoneMatch }) }),
      ...(ranged && { range: new Headers({ Range: range }) }),
    }),
  );
  if (!image) return undefined;
  if (!ranged) return { image };
  // R2 gives the whole for a range outside.
  const [, start = "0"] = /^bytes=(\d+)-/.exec(range) ?? [];
  if (Number(start) >= image.size || range === "bytes=-0") return "unsatisfiable";
  const { offset = 0, length = image.size - offset } =
    image.range && "offset" in image.range ? image.range : {};
  return { image, part: { first: offset, last: offset + length - 1 } };
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
