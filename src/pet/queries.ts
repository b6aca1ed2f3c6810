import { and, eq, getTableColumns, gt, sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { bind } from "../db/client.ts";
import type { Change, Database } from "../db/client.ts";
import { isOneOf, nextId, versionParameter } from "../db/conditions.ts";
import type { VersionParameter } from "../db/conditions.ts";
import { keep } from "../db/idempotency.ts";
import type { Created } from "../db/idempotency.ts";
import { petTags, pets } from "../db/schema.ts";
import { builder, statement } from "../db/statement.ts";
import type { Parameter } from "../db/statement.ts";
import { Json } from "../json.ts";
import { Unavailable } from "../unavailable.ts";
import { MAX_ITEMS, MAX_PET_BYTES, MAX_PHOTO_URLS } from "./contract.ts";
import type { NewPet, Pet, PetForm, PetStatus } from "./contract.ts";
import { imageByName, imagesOf, isAwaited, keptImage } from "./image-queries.ts";
import type { ImageKey, NamedImage } from "./image-queries.ts";

type PetRow = typeof pets.$inferSelect;

/** A pet as it is stored. */
export interface StoredPet {
  readonly id: number;
  readonly json: Json<Pet>;
  readonly version: number;
}

/** Which part of a list. */
export interface PageOf {
  readonly after: number;
  readonly count: number;
}

/** The columns hold JSON, which goes out as it is: to parse it and write it anew costs most of a page's time. */
function fromRow({ id, category, name, photoUrls, tags, status, version }: PetRow): StoredPet {
  let json = `{"id":${id}`;
  if (category !== null) json += `,"category":${category}`;
  json += `,"name":${JSON.stringify(name)},"photoUrls":${photoUrls}`;
  if (tags !== null) json += `,"tags":${tags}`;
  if (status !== null) json += `,"status":"${status}"`;
  return { id, json: new Json(`${json}}`), version };
}

function toColumns(pet: NewPet) {
  return {
    id: pet.id ?? null,
    category: pet.category === undefined ? null : JSON.stringify(pet.category),
    name: pet.name,
    photoUrls: JSON.stringify(pet.photoUrls),
    tags: pet.tags === undefined ? null : JSON.stringify(pet.tags),
    status: pet.status ?? null,
  };
}

type Columns = ReturnType<typeof toColumns>;

const petById = statement((p: { id: Parameter<number> }) =>
  builder.select().from(pets).where(eq(pets.id, p.id)),
);

const petVersion = statement((p: { id: Parameter<number> }) =>
  builder.select({ version: pets.version }).from(pets).where(eq(pets.id, p.id)),
);

const newPet = statement((p: { [Name in keyof Columns]: Parameter<Columns[Name]> }) =>
  builder
    .insert(pets)
    .values({
      id: sql`coalesce(${p.id}, ${nextId("pets")})`,
      category: p.category,
      name: p.name,
      photoUrls: p.photoUrls,
      tags: p.tags,
      status: p.status,
    })
    .onConflictDoNothing()
    .returning(),
);

const replacedPet = statement(
  (
    p: { [Name in keyof Columns]: Parameter<Columns[Name]> } & {
      versions: Parameter<VersionParameter>;
    },
  ) =>
    builder
      .update(pets)
      .set({
        category: sql`${p.category}`,
        name: sql`${p.name}`,
        photoUrls: sql`${p.photoUrls}`,
        tags: sql`${p.tags}`,
        status: sql`${p.status}`,
        version: sql`${pets.version} + 1`,
      })
      .where(and(eq(pets.id, p.id), isOneOf(pets.version, p.versions)))
      .returning(),
);

/** What a pet as JSON has besides the values of its columns: most of it. */
const FRAME_BYTES = JSON.stringify({
  id: Number.MAX_SAFE_INTEGER,
  category: 0,
  name: 0,
  photoUrls: 0,
  tags: 0,
  status: "available",
}).length;

/** A pet is not too large, with this name and these many bytes more. */
const fits = (name: SQL | Column, more: SQL): SQL =>
  sql`octet_length(json_quote(${name})) + octet_length(${pets.photoUrls}) + ${more} + coalesce(octet_length(${pets.category}), 0) + coalesce(octet_length(${pets.tags}), 0) <= ${sql.raw(String(MAX_PET_BYTES - FRAME_BYTES))}`;

/**
 * Appends the URL of an image in the form that the pet's `photoUrls` have, while they stay as short as they may be,
 * the pet as small, and the image is waited for.
 */
const picturedPet = statement((p: NamedImage & { url: Parameter<string> }) =>
  builder
    .update(pets)
    .set({
      photoUrls: sql`iif(
        json_type(${pets.photoUrls}) = 'array',
        json_insert(${pets.photoUrls}, '$[#]', ${p.url}),
        json_quote((${pets.photoUrls} ->> '$') || ',' || ${p.url})
      )`,
      version: sql`${pets.version} + 1`,
    })
    .where(
      and(
        eq(pets.id, p.petId),
        isAwaited(p),
        sql`iif(
          json_type(${pets.photoUrls}) = 'array',
          json_array_length(${pets.photoUrls}) < ${sql.raw(String(MAX_ITEMS))},
          length((${pets.photoUrls} ->> '$') || ',' || ${p.url}) <= ${sql.raw(String(MAX_PHOTO_URLS))}
        )`,
        fits(pets.name, sql`octet_length(',' || json_quote(${p.url}))`),
      ),
    )
    .returning({ id: pets.id }),
);

/** Members that are `null` keep what is stored. Another name must leave the pet small enough. */
const formPet = statement(
  (p: {
    id: Parameter<number>;
    name: Parameter<string | null>;
    status: Parameter<PetStatus | null>;
    versions: Parameter<VersionParameter>;
  }) =>
    builder
      .update(pets)
      .set({
        name: sql`coalesce(${p.name}, ${pets.name})`,
        status: sql`coalesce(${p.status}, ${pets.status})`,
        version: sql`${pets.version} + 1`,
      })
      .where(
        and(
          eq(pets.id, p.id),
          isOneOf(pets.version, p.versions),
          sql`(${p.name} is null or ${fits(sql`${p.name}`, sql`0`)})`,
        ),
      )
      .returning({ id: pets.id }),
);

const deletedPet = statement(
  (p: { id: Parameter<number>; versions: Parameter<VersionParameter> }) =>
    builder
      .delete(pets)
      .where(and(eq(pets.id, p.id), isOneOf(pets.version, p.versions)))
      .returning({ id: pets.id, images: imagesOf(pets.id).as("images") }),
);

interface PageParameters {
  readonly after: Parameter<number>;
  readonly count: Parameter<number>;
}

const withStatus = (status: Parameter<PetStatus | null>, after: Parameter<number>) =>
  builder
    .select()
    .from(pets)
    .where(and(eq(pets.status, status), gt(pets.id, after)));

/** One ordered walk of the index per status, merged: IN would sort all that it finds. */
const petsByStatus = statement(
  (
    p: PageParameters & {
      first: Parameter<PetStatus | null>;
      second: Parameter<PetStatus | null>;
      third: Parameter<PetStatus | null>;
    },
  ) =>
    unionAll(
      withStatus(p.first, p.after),
      withStatus(p.second, p.after),
      withStatus(p.third, p.after),
    )
      .orderBy(sql`id`)
      .limit(p.count),
);

interface TagParameters extends PageParameters {
  /** JSON array of names. */
  readonly tags: Parameter<string>;
}

/** The pets of a page of ids. @param ids a SELECT of ids as `petId`, each once, in order */
const petsOf = (ids: SQL, { count }: PageParameters) =>
  builder
    .select(getTableColumns(pets))
    .from(sql`(${ids} limit ${count}) as page`)
    .innerJoin(pets, sql`${pets.id} = page.petId`)
    .orderBy(sql`page.petId`);

/** D1 takes at most 5 terms in a compound SELECT, and 100 parameters. */
const MOST_TERMS = 5;
const MOST_MERGED = MOST_TERMS ** 2;

/** Ids by the tags from `first` on: one ordered walk of the look-up rows per tag, merged. */
function mergedIds(p: TagParameters, first: number, count: number): SQL {
  if (count === 1) {
    return sql`select ${petTags.petId} as petId from ${petTags} where ${petTags.tag} = (${p.tags} ->> ${sql.raw(`'$[${first}]'`)}) and ${petTags.petId} > ${p.after}`;
  }
  const size = Math.ceil(count / MOST_TERMS);
  const terms = [];
  for (let done = 0; done < count; done += size) {
    terms.push(
      sql`select petId from (${mergedIds(p, first + done, Math.min(size, count - done))})`,
    );
  }
  return sql`${sql.join(terms, sql` union `)} order by petId`;
}

const petsByMergedTags = (count: number) =>
  statement((p: TagParameters) =>
    petsOf(sql`select petId from (${mergedIds(p, 0, count)}) order by petId`, p),
  );

/** For any number of tags: a page of each, sorted. Reads more rows for a tag than merging does. */
const petsByManyTags = statement((p: TagParameters) =>
  petsOf(
    sql`select distinct found.value as petId from json_each(${p.tags}) as wanted, json_each((
      select json_group_array(petId) from (
        select petId from ${petTags} where tag = wanted.value and petId > ${p.after} order by petId limit ${p.count}
      )
    )) as found order by petId`,
    p,
  ),
);

/** Statements by number of tags, compiled when they are first needed. */
const petsByTags = new Map<number, ReturnType<typeof petsByMergedTags>>();

function petsByTagsOf(count: number): ReturnType<typeof petsByMergedTags> {
  if (count > MOST_MERGED) return petsByManyTags;
  let compiled = petsByTags.get(count);
  if (!compiled) {
    compiled = petsByMergedTags(count);
    petsByTags.set(count, compiled);
  }
  return compiled;
}

/** The pet with this id. */
export async function findPet(db: Database, id: number): Promise<StoredPet | undefined> {
  const [row] = await db.read(petById, { id });
  return row && fromRow(row);
}

/** Keeps what a new pet was given, under an idempotency key. */
export const keepPet = keep(pets);

/** A pet as `insertPet` gave it when it was new. */
export function newPetAs(pet: NewPet, created: Created): StoredPet {
  return fromRow({ ...toColumns(pet), ...created });
}

/**
 * Stores a new pet, under the next free id if it brings none.
 * @returns the pet that has the id now: the new one, or the one that had it before
 */
export async function insertPet(
  db: Database,
  pet: NewPet,
): Promise<StoredPet & { readonly inserted: boolean }> {
  const { inserted, row } = await db.insert(newPet, toColumns(pet), petById);
  return { ...fromRow(row), inserted };
}

/** Replaces the pet with this id, if its version is one of these. */
export async function replacePet(
  db: Database,
  pet: Pet,
  versions: readonly number[] | undefined,
): Promise<Change<StoredPet>> {
  const row = await db.change(
    bind(replacedPet, { ...toColumns(pet), versions: versionParameter(versions) }),
    bind(petById, { id: pet.id }),
    { conditional: versions !== undefined, repeatable: true },
  );
  return typeof row === "string" ? row : fromRow(row);
}

/**
 * Updates the members that `form` has, of the pet with this id, if its version is one of these.
 * @returns "full": the pet has no room for so long a name
 */
export async function updatePet(
  db: Database,
  id: number,
  form: PetForm,
  versions: readonly number[] | undefined,
): Promise<Change<{ id: number }> | "full"> {
  const [[updated], [found]] = await db.batch(
    [
      bind(formPet, {
        id,
        name: form.name ?? null,
        status: form.status ?? null,
        versions: versionParameter(versions),
      }),
      bind(petVersion, { id }),
    ],
    // Once done, it finds its condition broken.
    { repeatable: versions === undefined },
  );
  if (updated) return updated;
  if (!found) return "missing";
  return versions === undefined || versions.includes(found.version) ? "full" : "changed";
}

/**
 * Appends the URL of an uploaded image to the `photoUrls` of its pet. May be repeated: it is appended once.
 * @returns "changed" where they have no room for it
 * @throws Unavailable where the image was given up by now
 */
export async function appendPhotoUrl(
  db: Database,
  image: ImageKey,
  url: string,
): Promise<"appended" | "missing" | "changed"> {
  const [, , [stored], [pet]] = await db.batch(
    [
      bind(picturedPet, { ...image, url }),
      bind(keptImage, { ...image, url }),
      bind(imageByName, image),
      bind(petById, { id: image.petId }),
    ],
    { repeatable: true },
  );
  if (!stored || stored.dueAt === 0) throw new Unavailable("the upload took too long");
  if (stored.dueAt === null) return "appended";
  return pet ? "changed" : "missing";
}

/**
 * Deletes the pet with this id, if its version is one of these.
 * @returns its id, and the names of its images, which must go now
 */
export async function deletePet(
  db: Database,
  id: number,
  versions: readonly number[] | undefined,
): Promise<Change<{ id: number; images: readonly string[] }>> {
  const deleted = await db.change(
    bind(deletedPet, { id, versions: versionParameter(versions) }),
    bind(petById, { id }),
    { conditional: versions !== undefined, repeatable: false },
  );
  if (typeof deleted === "string") return deleted;
  return { id: deleted.id, images: JSON.parse(deleted.images) as string[] };
}

/** Up to `count` pets that have one of these statuses, with ids beyond `after`, by ascending id. */
export async function listPetsByStatus(
  db: Database,
  statuses: readonly PetStatus[],
  { after, count }: PageOf,
): Promise<StoredPet[]> {
  const [first = null, second = null, third = null] = statuses;
  const rows = await db.read(petsByStatus, { first, second, third, after, count });
  return rows.map(fromRow);
}

/** Up to `count` pets that have a tag of one of these names, with ids beyond `after`, by ascending id. */
export async function listPetsByTags(
  db: Database,
  tags: readonly string[],
  { after, count }: PageOf,
): Promise<StoredPet[]> {
  const rows = await db.read(petsByTagsOf(tags.length), {
    tags: JSON.stringify(tags),
    after,
    count,
  });
  return rows.map(fromRow);
}
