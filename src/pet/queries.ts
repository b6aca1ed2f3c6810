import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { Change, Database } from "../db/client.ts";
import type { Created } from "../db/claims.ts";
import { chosenIdsFirst, nextId } from "../db/ids.ts";
import { pets } from "../db/schema.ts";
import { build, statement } from "../db/statement.ts";
import type { Bound, Parameter, ParametersOf } from "../db/statement.ts";
import { allows, isAllowed } from "../db/versions.ts";
import type { Versions } from "../db/versions.ts";
import { Unavailable } from "../platform/failures.ts";
import { MAX_IMAGES } from "./contract.ts";
import { awaits, imageByName, imagesOf, keepImage, keptImages } from "./image-queries.ts";
import type { ImageKey, NamedImage } from "./image-queries.ts";
import { MAX_ITEMS, MAX_PET_BYTES, MAX_PHOTO_URLS } from "./pet.ts";
import type { NewPet, Pet, PetForm, PetStatus } from "./pet.ts";
import { bytesOfPet, toColumns } from "./row.ts";
import type { PetColumns, PetRow } from "./row.ts";

const petById = statement((p: { id: Parameter<number> }) =>
  build.select().from(pets).where(eq(pets.id, p.id)),
);

const addPet = statement((p: ParametersOf<PetColumns>) =>
  build
    .insert(pets)
    .values({
      id: sql`coalesce(${p.id}, ${nextId("pets")})`,
      category: p.category,
      name: p.name,
      photoUrls: p.photoUrls,
      tags: p.tags,
      status: p.status,
    } satisfies Record<keyof PetColumns, unknown>)
    .onConflictDoNothing()
    .returning(),
);

const nextVersion = sql`${pets.version} + 1`;

const overwritePet = statement((p: ParametersOf<PetColumns & { versions: Versions }>) =>
  build
    .update(pets)
    // Drizzle's `set` takes no placeholders, except within `sql`.
    .set({
      category: sql`${p.category}`,
      name: sql`${p.name}`,
      photoUrls: sql`${p.photoUrls}`,
      tags: sql`${p.tags}`,
      status: sql`${p.status}`,
      version: nextVersion,
    } satisfies Record<keyof Omit<PetRow, "id">, unknown>)
    .where(and(eq(pets.id, p.id), isAllowed(pets.version, p.versions)))
    .returning(),
);

/** A condition: with this many more bytes, and with this name, the pet is not too large. */
const fits = (more: SQL, name?: SQL): SQL => sql`${bytesOfPet(name)} + ${more} <= ${MAX_PET_BYTES}`;

/**
 * Appends the URL of an image to the pet's `photoUrls`, which stay a string or an array, if the image is awaited and
 * `photoUrls`, the pet and its number of images stay within their limits.
 */
const appendImageUrl = statement((p: NamedImage & { url: Parameter<string> }) => {
  const { photoUrls } = pets;
  const isArray = sql`json_type(${photoUrls}) = 'array'`;
  const appended = sql`(${photoUrls} ->> '$') || ',' || ${p.url}`;
  const commas = sql`length(${photoUrls}) - length(replace(${photoUrls}, ',', ''))`;
  return build
    .update(pets)
    .set({
      photoUrls: sql`iif(${isArray}, json_insert(${photoUrls}, '$[#]', ${p.url}), json_quote(${appended}))`,
      version: nextVersion,
    })
    .where(
      and(
        eq(pets.id, p.petId),
        awaits(p),
        sql`iif(
          ${isArray},
          json_array_length(${photoUrls}) < ${MAX_ITEMS},
          ${commas} < ${MAX_ITEMS - 1} and length(${appended}) <= ${MAX_PHOTO_URLS}
        )`,
        fits(sql`octet_length(',' || json_quote(${p.url}))`),
        lt(keptImages(p.petId), MAX_IMAGES),
      ),
    );
});

/** Members that are `null` keep their stored values. With a new name, the pet must still be small enough. */
const changeNameAndStatus = statement(
  (
    p: ParametersOf<{
      id: number;
      name: string | null;
      status: PetStatus | null;
      versions: Versions;
    }>,
  ) =>
    build
      .update(pets)
      .set({
        name: sql`coalesce(${p.name}, ${pets.name})`,
        status: sql`coalesce(${p.status}, ${pets.status})`,
        version: nextVersion,
      })
      .where(
        and(
          eq(pets.id, p.id),
          isAllowed(pets.version, p.versions),
          or(isNull(p.name), fits(sql`0`, sql`${p.name}`)),
        ),
      )
      .returning(),
);

const removePet = statement((p: ParametersOf<{ id: number; versions: Versions }>) =>
  build
    .delete(pets)
    .where(and(eq(pets.id, p.id), isAllowed(pets.version, p.versions)))
    .returning({ id: pets.id, images: imagesOf(pets.id).as("images") }),
);

/** The pet with this id. */
export async function findPet(db: Database, id: number): Promise<PetRow | undefined> {
  const [row] = await db.read(petById({ id }));
  return row;
}

/** A pet as `insertPet` returned it when it was new. */
export function newPetAs(pet: NewPet, created: Created): PetRow {
  return { ...toColumns(pet), ...created };
}

/**
 * Stores a new pet, with the next free id if it has none.
 * @returns the pet that has the id now: the new one, or the one that had it before
 */
export async function insertPet(
  db: Database,
  pet: NewPet,
): Promise<{ readonly row: PetRow; readonly inserted: boolean }> {
  const { id } = pet;
  return db.insert(addPet(toColumns(pet)), id === undefined ? undefined : petById({ id }));
}

/** Statements that store new pets. Pets with ids come first, so that no generated id takes theirs. */
export function insertionsOfPets(created: readonly NewPet[]): readonly Bound<unknown>[] {
  return chosenIdsFirst(created.map(toColumns)).map(addPet);
}

/** Every pet. */
export const allPets = statement(() => build.select().from(pets).orderBy(pets.id));

/** Replaces the pet with this id, if its version is allowed. */
export async function replacePet(
  db: Database,
  pet: Pet,
  versions: Versions,
): Promise<Change<PetRow>> {
  const overwrite = overwritePet({ ...toColumns(pet), versions });
  return db.change(overwrite, petById({ id: pet.id }), { versions, repeatable: true });
}

/**
 * Updates the members that `form` has, of the pet with this id, if its version is allowed.
 * @returns "full" if the pet has no room for so long a name
 */
export async function updatePet(
  db: Database,
  id: number,
  form: PetForm,
  versions: Versions,
): Promise<Change<PetRow> | "full"> {
  const { name = null, status = null } = form;
  const change = changeNameAndStatus({ id, name, status, versions });
  return db.change(change, petById({ id }), {
    versions,
    repeatable: true,
    refusal: ({ version }) => (allows(versions, version) ? "full" : "changed"),
  });
}

/**
 * Appends the URL of an uploaded image to the `photoUrls` of its pet, once, even if this runs twice.
 * @returns "missing" if that pet was deleted in the meantime, "full" if `photoUrls` have no room for it
 * @throws Unavailable if the upload has expired in the meantime
 */
export async function appendPhotoUrl(
  db: Database,
  image: ImageKey,
  url: string,
): Promise<"appended" | "missing" | "full"> {
  const values = { ...image, url };
  const [, , [stored]] = await db.batch(
    [appendImageUrl(values), keepImage(values), imageByName(image)],
    { repeatable: true },
  );
  if (!stored || stored.dueAt === 0) throw new Unavailable("the upload took too long");
  if (stored.dueAt === null) return "appended";
  return stored.isOrphan ? "missing" : "full";
}

/**
 * Deletes the pet with this id, if its version is allowed.
 * @returns its id, and the names of its images, which must now be deleted
 */
export async function deletePet(
  db: Database,
  id: number,
  versions: Versions,
): Promise<Change<{ id: number; images: readonly string[] }>> {
  const deleted = await db.change(removePet({ id, versions }), petById({ id }), {
    versions,
    repeatable: false,
  });
  if (typeof deleted === "string") return deleted;
  // `imagesOf` makes an array of names.
  return { id: deleted.id, images: JSON.parse(deleted.images) as string[] };
}
