import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { Change, Database } from "../db/client.ts";
import type { Created } from "../db/claims.ts";
import { chosenIdsFirst, nextId } from "../db/ids.ts";
import { pets } from "../db/schema.ts";
import { assignments, columnsOf, rowOf, statement } from "../db/statement.ts";
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

const petById = statement(
  (p: { id: Parameter<number> }) => sql<PetRow>`select * from ${pets} where ${pets.id} = ${p.id}`,
);

const addPet = statement(
  (p: ParametersOf<PetColumns>) =>
    sql<PetRow>`insert into ${pets} ${rowOf({
      ...columnsOf(pets, ["version"]),
      id: sql`coalesce(${p.id}, ${nextId("pets")})`,
    })} on conflict do nothing returning *`,
);

const overwritePet = statement(
  (p: ParametersOf<PetColumns> & { versions: Parameter<Versions> }) =>
    sql<PetRow>`update ${pets} set ${assignments({
      ...columnsOf(pets, ["id", "version"]),
      version: sql`${pets.version} + 1`,
    })} where ${pets.id} = ${p.id} and ${isAllowed(pets.version, p.versions)} returning *`,
);

/** A condition: with this many more bytes, and with this name, the pet is not too large. */
const fits = (more: SQL, name?: SQL): SQL =>
  sql`${bytesOfPet(name)} + ${more} <= ${sql.raw(String(MAX_PET_BYTES))}`;

/**
 * Appends the URL of an image to the pet's `photoUrls`, which stay a string or an array, if the image is awaited and
 * `photoUrls`, the pet and its number of images stay within their limits.
 */
const appendImageUrl = statement(
  (p: NamedImage & { url: Parameter<string> }) =>
    sql`update ${pets}
      set "photoUrls" = iif(
          json_type(${pets.photoUrls}) = 'array',
          json_insert(${pets.photoUrls}, '$[#]', ${p.url}),
          json_quote((${pets.photoUrls} ->> '$') || ',' || ${p.url})
        ),
        "version" = ${pets.version} + 1
      where ${pets.id} = ${p.petId}
        and ${awaits(p)}
        and iif(
          json_type(${pets.photoUrls}) = 'array',
          json_array_length(${pets.photoUrls}) < ${sql.raw(String(MAX_ITEMS))},
          length(${pets.photoUrls}) - length(replace(${pets.photoUrls}, ',', '')) < ${sql.raw(String(MAX_ITEMS - 1))}
            and length((${pets.photoUrls} ->> '$') || ',' || ${p.url}) <= ${sql.raw(String(MAX_PHOTO_URLS))}
        )
        and ${fits(sql`octet_length(',' || json_quote(${p.url}))`)}
        and ${keptImages(p.petId)} < ${sql.raw(String(MAX_IMAGES))}`,
);

/** Members that are `null` keep their stored values. With a new name, the pet must still be small enough. */
const changeNameAndStatus = statement(
  (p: {
    id: Parameter<number>;
    name: Parameter<string | null>;
    status: Parameter<PetStatus | null>;
    versions: Parameter<Versions>;
  }) =>
    sql<PetRow>`update ${pets} set ${assignments({
      name: sql`coalesce(${p.name}, ${pets.name})`,
      status: sql`coalesce(${p.status}, ${pets.status})`,
      version: sql`${pets.version} + 1`,
    })}
      where ${pets.id} = ${p.id}
        and ${isAllowed(pets.version, p.versions)}
        and (${p.name} is null or ${fits(sql`0`, sql`${p.name}`)})
      returning *`,
);

const removePet = statement(
  (p: { id: Parameter<number>; versions: Parameter<Versions> }) =>
    sql<{ id: number; images: string }>`delete from ${pets}
      where ${pets.id} = ${p.id} and ${isAllowed(pets.version, p.versions)}
      returning "id", ${imagesOf(pets.id)} as "images"`,
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
  return db.insert(addPet, toColumns(pet), petById);
}

/** Statements that store new pets. Pets with ids come first, so that no generated id takes theirs. */
export function insertionsOfPets(created: readonly NewPet[]): readonly Bound<unknown>[] {
  return chosenIdsFirst(created).map((pet) => addPet(toColumns(pet)));
}

/** Every pet. */
export const allPets = statement(() => sql<PetRow>`select * from ${pets} order by ${pets.id}`);

/** Replaces the pet with this id, if its version is allowed. */
export async function replacePet(
  db: Database,
  pet: Pet,
  versions: Versions,
): Promise<Change<PetRow>> {
  const values = { ...toColumns(pet), versions };
  return db.change(overwritePet, values, petById({ id: pet.id }), { repeatable: true });
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
  const values = { id, name, status, versions };
  return db.change(changeNameAndStatus, values, petById({ id }), {
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
  const find = petById({ id });
  const deleted = await db.change(removePet, { id, versions }, find, { repeatable: false });
  if (typeof deleted === "string") return deleted;
  return { id: deleted.id, images: JSON.parse(deleted.images) as string[] };
}
