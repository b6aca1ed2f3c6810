import { sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { petImages, pets } from "../db/schema.ts";
import { rowsOf, statement } from "../db/statement.ts";
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

type ImageRow = typeof petImages.$inferSelect;

/** The parameters that name an image. */
export type NamedImage = ParametersOf<ImageKey>;

const named = (p: NamedImage): SQL =>
  sql`${petImages.petId} = ${p.petId} and ${petImages.name} = ${p.name}`;

/** How long an upload may take before it expires, in milliseconds. */
const UPLOAD_MS = 60 * 60 * 1000;

const recordImage = statement(
  (p: NamedImage & { dueAt: Parameter<number> }) =>
    sql`insert into ${petImages} ${rowsOf({ petId: sql`${pets.id}`, name: p.name, dueAt: p.dueAt })}
      from ${pets} where ${pets.id} = ${p.petId}
      on conflict ("petId", "name") do update set "dueAt" = excluded."dueAt"
      returning "name"`,
);

/** A condition: the image is being uploaded, and the pet that it was sent to still exists. */
const isAwaited = sql`${petImages.dueAt} > 0 and ${petImages.isOrphan} is null`;

/** A condition on another table: this image is awaited. */
export function awaits(p: NamedImage): SQL {
  return sql`exists (select 1 from ${petImages} where ${named(p)} and ${isAwaited})`;
}

/** The number of images of a pet, including those whose URLs were removed from it. */
export function keptImages(petId: Parameter<number>): SQL<number> {
  return sql`(select count(*) from "pet_images" where "petId" = ${petId} and "dueAt" is null)`;
}

/** Marks an image as kept, if it is awaited and its pet has its URL. */
export const keepImage = statement(
  (p: NamedImage & { url: Parameter<string> }) =>
    sql`update ${petImages} set "dueAt" = null
      where ${named(p)} and ${isAwaited}
        and exists (select 1 from ${pets} where ${pets.id} = ${p.petId} and instr(${pets.photoUrls}, ${p.url}) > 0)`,
);

export const imageByName = statement(
  (p: NamedImage) =>
    sql<
      Omit<ImageRow, keyof ImageKey>
    >`select ${petImages.dueAt}, ${petImages.isOrphan} from ${petImages} where ${named(p)}`,
);

/** The names of a pet's images that must be deleted with it, as a JSON array. */
export function imagesOf(petId: Column): SQL<string> {
  return sql`(select json_group_array("pet_images"."name") from "pet_images" where "pet_images"."petId" = ${petId} and coalesce("pet_images"."dueAt", 0) = 0)`;
}

const giveUpImages = statement(
  (p: { now: Parameter<number> }) =>
    sql`update ${petImages} set "dueAt" = 0 where ${petImages.dueAt} between 1 and ${p.now}`,
);

const dueImages = statement(
  (p: { count: Parameter<number> }) =>
    sql<ImageKey>`select ${petImages.petId}, ${petImages.name} from ${petImages} where ${petImages.dueAt} = 0 limit ${p.count}`,
);

/** @param keys a JSON array of `ImageKey` */
const removeImages = statement(
  (p: { keys: Parameter<string> }) =>
    sql`delete from ${petImages}
      where (${petImages.petId}, ${petImages.name}) in (select value ->> 'petId', value ->> 'name' from json_each(${p.keys}))
        and ${petImages.dueAt} is not null`,
);

/**
 * Records that an image is about to be stored.
 * @param now milliseconds since the epoch
 * @returns whether its pet exists; if not, do not store the image
 */
export async function awaitImage(db: Database, image: ImageKey, now: number): Promise<boolean> {
  const rows = await db.writeAhead(recordImage({ ...image, dueAt: now + UPLOAD_MS }));
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
