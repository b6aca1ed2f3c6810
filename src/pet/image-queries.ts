import { and, between, eq, exists, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { petImages, pets } from "../db/schema.ts";
import { build, statement } from "../db/statement.ts";
import type { Parameter, ParametersOf } from "../db/statement.ts";

// No transaction covers D1 and R2, so D1 knows an image from before R2 stores it until after R2 has deleted it:
//
// 1. When an upload begins, its row says when the upload expires.
// 2. The transaction that appends the URL to the pet marks the image as kept.
// 3. The transaction that deletes the pet marks its images for deletion, and its uploads in progress as orphans: no later
//    pet gets them. An upload deletes its orphan when it ends. Its row stays until then, because R2 may still get the image.
// 4. The hourly run marks an upload that has expired.
// 5. A marked image is deleted from R2, and then from this table: immediately, or by the hourly run if that fails.
//
// If a request stops between two of these steps, the hourly run finishes it. A mark is final, and an image that a pet has
// is never marked.

/** An image, by its pet and its name. */
export interface ImageKey {
  readonly petId: number;
  readonly name: string;
}

/** The parameters that name an image. */
export type NamedImage = ParametersOf<ImageKey>;

const isNamed = (p: NamedImage) => and(eq(petImages.petId, p.petId), eq(petImages.name, p.name));

/** How long an upload may take before it expires, in milliseconds. */
const UPLOAD_MS = 60 * 60 * 1000;

const recordImage = statement((p: NamedImage & ParametersOf<{ dueAt: number; bytes: number }>) =>
  build
    .insert(petImages)
    .select(
      build
        .select({
          petId: pets.id,
          name: sql`${p.name}`.as("name"),
          dueAt: sql`${p.dueAt}`.as("dueAt"),
          isOrphan: sql`0`.as("isOrphan"),
          bytes: sql`${p.bytes}`.as("bytes"),
        })
        .from(pets)
        .where(eq(pets.id, p.petId)),
    )
    .onConflictDoUpdate({
      target: [petImages.petId, petImages.name],
      set: { dueAt: sql`excluded."dueAt"` },
    })
    .returning({ name: petImages.name }),
);

/** A condition: the image is being uploaded, and the pet that it was sent to still exists. */
const isAwaited = (p: NamedImage) =>
  and(isNamed(p), gt(petImages.dueAt, 0), eq(petImages.isOrphan, 0));

/** A condition on another table: this image is awaited. */
export function awaits(p: NamedImage): SQL {
  return exists(build.select({ name: petImages.name }).from(petImages).where(isAwaited(p)));
}

/** The number of images of a pet, including those whose URLs were removed from it. */
export function keptImages(petId: Parameter<number>): SQL<number> {
  return build.$count(petImages, and(eq(petImages.petId, petId), isNull(petImages.dueAt)));
}

/** Marks an image as kept, if it is awaited and its pet has its URL. */
export const keepImage = statement((p: NamedImage & { url: Parameter<string> }) => {
  const shown = build
    .select({ id: pets.id })
    .from(pets)
    .where(and(eq(pets.id, p.petId), sql`instr(${pets.photoUrls}, ${p.url}) > 0`));
  return build
    .update(petImages)
    .set({ dueAt: null })
    .where(and(isAwaited(p), exists(shown)));
});

export const imageByName = statement((p: NamedImage) =>
  build
    .select({ dueAt: petImages.dueAt, isOrphan: petImages.isOrphan })
    .from(petImages)
    .where(isNamed(p)),
);

/** The names of a pet's images that must be deleted with it, as a JSON array. */
export function imagesOf(petId: Column): SQL<string> {
  const names = build
    .select({ names: sql`json_group_array(${petImages.name})` })
    .from(petImages)
    .where(and(eq(petImages.petId, petId), or(isNull(petImages.dueAt), eq(petImages.dueAt, 0))));
  return sql<string>`${names}`;
}

const giveUpImages = statement((p: { now: Parameter<number> }) =>
  build
    .update(petImages)
    .set({ dueAt: 0 })
    .where(between(petImages.dueAt, 1, p.now)),
);

const dueImages = statement((p: { count: Parameter<number> }) =>
  build
    .select({ petId: petImages.petId, name: petImages.name })
    .from(petImages)
    .where(eq(petImages.dueAt, 0))
    .limit(p.count),
);

/** @param keys a JSON array of `ImageKey` */
const removeImages = statement((p: { keys: Parameter<string> }) =>
  build.delete(petImages).where(
    and(
      sql`(${petImages.petId}, ${petImages.name}) in (
        select value ->> 'petId', value ->> 'name' from json_each(${p.keys})
      )`,
      isNotNull(petImages.dueAt),
    ),
  ),
);

/**
 * Records that an image is about to be stored.
 * @param bytes its size
 * @param now milliseconds since the epoch
 * @returns whether its pet exists; if not, do not store the image
 * @throws Full if a sandbox has no room for it
 */
export async function awaitImage(
  db: Database,
  image: ImageKey,
  bytes: number,
  now: number,
): Promise<boolean> {
  const rows = await db.writeAhead(recordImage({ ...image, bytes, dueAt: now + UPLOAD_MS }));
  return rows.length > 0;
}

/**
 * Up to `count` images to delete, including uploads that expire now.
 * @param now milliseconds since the epoch
 */
export async function listDueImages(
  db: Database,
  now: number,
  count: number,
): Promise<readonly ImageKey[]> {
  const [, due] = await db.batch([giveUpImages({ now }), dueImages({ count })], {
    repeatable: true,
  });
  return due;
}

/** Deletes the records of images that R2 no longer has. */
export async function forgetImages(db: Database, images: readonly ImageKey[]): Promise<void> {
  await db.write(removeImages({ keys: JSON.stringify(images) }), { repeatable: true });
}
