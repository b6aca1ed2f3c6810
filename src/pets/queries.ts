import { and, eq, getTableColumns, gt, sql, type Placeholder } from "drizzle-orm";
import { batch, type Database } from "../db/client.ts";
import {
  conditionValues,
  matchesConditions,
  nextVersion,
  retryUnlessVersioned,
  type Conditions,
} from "../db/conditions.ts";
import { conflictsWith, createRow, creationColumns, nextId, type Conflict, type Creation } from "../db/creation.ts";
import { placeholders, prepareOnce } from "../db/prepared.ts";
import { retry } from "../db/retry.ts";
import { inventory, petTags, pets } from "../db/schema.ts";
import type { NewPet, Pet, PetChanges, PetStatus } from "./schemas.ts";

const { id, version, owner, idempotencyKey, idempotencyHash, ...fields } = getTableColumns(pets);

// Mapping columns takes a third of a page's CPU time, so leave out columns that no response needs.
const shown = { id, ...fields };
export const columns = { ...shown, version, owner };

export type PetRow = Pick<typeof pets.$inferSelect, keyof typeof columns>;

/** Converts a pet to the form of `/v2`. Absent fields are left out of the JSON. */
export const toPet = (row: Pet) => ({
  id: row.id,
  category: row.category ?? undefined,
  name: row.name,
  photoUrls: row.photoUrls,
  tags: row.tags ?? undefined,
  status: row.status ?? undefined,
});

/** Converts a pet to the form of Petstore 3: `photoUrls` is an array, and each tag an object. */
export const toPet3 = (row: Pet) => ({
  ...toPet(row),
  photoUrls: typeof row.photoUrls === "string" ? row.photoUrls.split(",").map((url) => url.trim()) : row.photoUrls,
  tags: row.tags?.map((tag) => (typeof tag === "string" ? { name: tag } : tag)),
});

const insertPet = prepareOnce((db) =>
  db
    .insert(pets)
    .values({
      ...placeholders({ ...fields, owner, idempotencyKey, idempotencyHash }),
      id: sql`coalesce(${sql.placeholder("id")}, ${nextId("pets")})`,
    })
    .onConflictDoNothing()
    // The other columns are already in memory, and mapping them would take 20 µs.
    .returning({ id, version })
    .prepare(),
);

/**
 * Stores a new pet, with a generated ID if it has none. Returns the stored pet if the request is a repetition.
 * @param show converts a pet to the form of the API: two pets with the same form have the same content
 */
export async function createPet(
  db: Database,
  pet: NewPet,
  creation: Creation,
  show: (row: Pet) => object,
): Promise<PetRow | Conflict> {
  const origin = await creationColumns(creation, pet);
  const row = { ...pet, ...origin };
  return createRow("pets", pet.id, origin, {
    async insert() {
      const created = await insertPet(db).get(row);
      return created && { ...row, ...created };
    },
    find: async () =>
      db
        .select()
        .from(pets)
        .where(conflictsWith(creation, pet.id, pets)),
    isSame: (stored) => JSON.stringify(show(stored)) === JSON.stringify(show({ ...pet, id: stored.id })),
  });
}

const selectById = prepareOnce((db) =>
  db
    .select(columns)
    .from(pets)
    .where(eq(pets.id, sql.placeholder("id")))
    .prepare(),
);

/** Finds the pet with this ID. */
export async function findPet(db: Database, petId: number): Promise<PetRow | undefined> {
  return retry(async () => selectById(db).get({ id: petId }));
}

/** At most `limit` rows, with IDs above `after`. */
interface Page<Value = number> {
  readonly after: Value;
  readonly limit: Value;
}

const PAGE: Page<Placeholder> = { after: sql.placeholder("after"), limit: sql.placeholder("limit") };

// One ordered query per status or tag, merged here. With `in (…)`, SQLite would read and sort all matching rows: for a page
// of 100 out of 5,000 pets, 10,000 rows instead of 200. Only the query for a single one is prepared: Drizzle's `batch` accepts
// no prepared queries.

const queryByStatus = (db: Database, status: PetStatus | Placeholder, { after, limit }: Page | Page<Placeholder>) =>
  db
    .select(shown)
    .from(pets)
    .where(and(eq(pets.status, status), gt(pets.id, after)))
    .orderBy(pets.id)
    .limit(limit);

const selectByStatus = prepareOnce((db) => queryByStatus(db, sql.placeholder("status"), PAGE).prepare());

/** Finds pets with any of these statuses, in ascending order of ID. */
export async function findPetsByStatus(db: Database, statuses: readonly PetStatus[], page: Page): Promise<Pet[]> {
  const [status, second] = statuses;
  if (!second) return retry(async () => selectByStatus(db).all({ status, ...page }));
  const queries = statuses.map((each) => queryByStatus(db, each, page));
  return mergePages(await retry(() => batch(db, queries)), page);
}

const queryByTag = (db: Database, tag: string | Placeholder, { after, limit }: Page | Page<Placeholder>) =>
  db
    .select(shown)
    .from(petTags)
    .innerJoin(pets, eq(pets.id, petTags.petId))
    .where(and(eq(petTags.tag, tag), gt(petTags.petId, after)))
    .orderBy(petTags.petId)
    .limit(limit);

const selectByTag = prepareOnce((db) => queryByTag(db, sql.placeholder("tag"), PAGE).prepare());

/** The number of tags per batch: 605 pets of at most 22 KB stay below the 16 MB that D1 returns at once. */
export const TAGS_AT_ONCE = 5;

/** Finds pets with any of these tags, in ascending order of ID. */
export async function findPetsByTags(db: Database, tags: readonly string[], page: Page): Promise<Pet[]> {
  const [tag, second] = tags;
  if (!second) return retry(async () => selectByTag(db).all({ tag, ...page }));
  let rows: Pet[] = [];
  for (let at = 0; at < tags.length; at += TAGS_AT_ONCE) {
    const queries = tags.slice(at, at + TAGS_AT_ONCE).map((each) => queryByTag(db, each, page));
    rows = mergePages([rows, ...(await retry(() => batch(db, queries)))], page);
  }
  return rows;
}

function mergePages(lists: readonly Pet[][], { limit }: Page): Pet[] {
  const byId = new Map(lists.flat().map((row) => [row.id, row]));
  return [...byId.values()].toSorted((one, other) => one.id - other.id).slice(0, limit);
}

const replaceById = prepareOnce((db) =>
  db
    .update(pets)
    .set({ ...placeholders(fields), version: sql`${version} + 1` })
    .where(and(eq(pets.id, sql.placeholder("id")), matchesConditions(pets)))
    .returning({ version, owner })
    .prepare(),
);

/** Replaces all fields of a pet. Returns `undefined` if no pet with this ID matches the conditions. */
export async function replacePet(db: Database, pet: Pet, conditions: Conditions): Promise<PetRow | undefined> {
  const values = { ...pet, ...conditionValues(conditions) };
  const replaced = await retryUnlessVersioned(conditions, async () => replaceById(db).get(values));
  return replaced && { ...pet, ...replaced };
}

/** Updates some fields of a pet. Returns `undefined` if no pet with this ID matches the conditions. */
export async function updatePet(
  db: Database,
  petId: number,
  changes: PetChanges,
  conditions: Conditions,
): Promise<PetRow | undefined> {
  const update = async () =>
    db
      .update(pets)
      .set({ ...changes, version: nextVersion(version, changes) })
      .where(and(eq(pets.id, petId), matchesConditions(pets)))
      .returning(columns)
      .prepare()
      .get(conditionValues(conditions));
  return retryUnlessVersioned(conditions, update);
}

const deleteById = prepareOnce((db) =>
  db
    .delete(pets)
    .where(and(eq(pets.id, sql.placeholder("id")), matchesConditions(pets)))
    .returning({ id })
    .prepare(),
);

/** Deletes a pet. Returns `undefined` if no pet with this ID matches the conditions. */
export async function deletePet(
  db: Database,
  petId: number,
  conditions: Conditions,
): Promise<{ id: number } | undefined> {
  return retry(async () => deleteById(db).get({ id: petId, ...conditionValues(conditions) }), 1);
}

const selectInventory = prepareOnce((db) => db.select().from(inventory).prepare());

/** Counts the pets with each status. Reads three rows, however many pets there are. */
export async function countPets(db: Database): Promise<Record<PetStatus, number>> {
  const counts = { available: 0, pending: 0, sold: 0 };
  for (const { status, quantity } of await retry(async () => selectInventory(db).all())) {
    counts[status] = quantity;
  }
  return counts;
}
