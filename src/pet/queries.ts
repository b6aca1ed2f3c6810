import { getTableColumns, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Change, Database } from "../db/client.ts";
import { areMet, chosenIdsFirst, meets, nextId } from "../db/conditions.ts";
import type { Preconditions } from "../db/conditions.ts";
import { keep } from "../db/idempotency-keys.ts";
import type { Created } from "../db/idempotency-keys.ts";
import { petTags, pets } from "../db/schema.ts";
import { assignments, list, rowOf, statement } from "../db/statement.ts";
import type { Bound, Parameter, ParametersOf } from "../db/statement.ts";
import { JsonText } from "../json-text.ts";
import { Unavailable } from "../unavailable.ts";
import { MAX_IMAGES, MAX_ITEMS, MAX_PET_BYTES, MAX_PHOTO_URLS, PetStatus } from "./contract.ts";
import type { NewPet, Pet, PetForm } from "./contract.ts";
import { imageByName, imagesOf, isAwaited, keepImage, keptImages } from "./image-queries.ts";
import type { ImageKey, NamedImage } from "./image-queries.ts";

type PetRow = typeof pets.$inferSelect;

/** A pet as it is stored. */
export interface StoredPet {
  readonly id: number;
  readonly json: JsonText<Pet>;
  readonly version: number;
}

/** Which part of a list: at most `limit` pets with ids greater than `after`. */
export interface PageOf {
  readonly after: number;
  readonly limit: number;
}

/** Pets by ascending id: fewer than the limit at the end of the list, or if more would exceed 1 MiB of JSON. */
export interface Page {
  /** At least one, unless the list has ended. */
  readonly items: readonly StoredPet[];
  /** Whether another pet follows them. */
  readonly more: boolean;
}

/** The members of a pet: the columns of its row without the version. */
type Member = Exclude<keyof Pet | keyof PetRow, "version">;

/**
 * The JSON of each member of a pet, or "" if the pet does not have it. Columns that hold JSON are sent unchanged: to
 * parse the JSON and write it again would take most of a page's time.
 */
const MEMBERS: Record<Member, (row: PetRow) => string> = {
  id: ({ id }) => `"id":${id}`,
  category: ({ category }) => (category === null ? "" : `,"category":${category}`),
  name: ({ name }) => `,"name":${JSON.stringify(name)}`,
  photoUrls: ({ photoUrls }) => `,"photoUrls":${photoUrls}`,
  tags: ({ tags }) => (tags === null ? "" : `,"tags":${tags}`),
  status: ({ status }) => (status === null ? "" : `,"status":"${status}"`),
};
const members = Object.values(MEMBERS);

function fromRow(row: PetRow): StoredPet {
  let json = "{";
  for (const member of members) json += member(row);
  return { id: row.id, json: new JsonText(`${json}}`), version: row.version };
}

function toColumns(pet: NewPet) {
  return {
    id: pet.id ?? null,
    category: pet.category === undefined ? null : JSON.stringify(pet.category),
    name: pet.name,
    photoUrls: JSON.stringify(pet.photoUrls),
    tags: pet.tags === undefined ? null : JSON.stringify(pet.tags),
    status: pet.status ?? null,
  } satisfies Record<Member, unknown>;
}

type Columns = ReturnType<typeof toColumns>;

const petById = statement(
  (p: { id: Parameter<number> }) => sql<PetRow>`select * from ${pets} where ${pets.id} = ${p.id}`,
);

const everyPet = statement(() => sql<PetRow>`select * from ${pets} order by ${pets.id}`);

const petVersion = statement(
  (p: { id: Parameter<number> }) =>
    sql<Pick<PetRow, "version">>`select ${pets.version} from ${pets} where ${pets.id} = ${p.id}`,
);

const addPet = statement(
  (p: ParametersOf<Columns>) =>
    sql<PetRow>`insert into ${pets} ${rowOf<keyof Columns>({
      id: sql`coalesce(${p.id}, ${nextId("pets")})`,
      category: p.category,
      name: p.name,
      photoUrls: p.photoUrls,
      tags: p.tags,
      status: p.status,
    })} on conflict do nothing returning *`,
);

const overwritePet = statement(
  (p: ParametersOf<Columns> & { preconditions: Parameter<Preconditions> }) =>
    sql<PetRow>`update ${pets} set ${assignments<Exclude<keyof PetRow, "id">>({
      category: p.category,
      name: p.name,
      photoUrls: p.photoUrls,
      tags: p.tags,
      status: p.status,
      version: sql`${pets.version} + 1`,
    })} where ${pets.id} = ${p.id} and ${meets(pets.version, p.preconditions)} returning *`,
);

/** A pet whose other members have their longest values. `bytesWith` adds the members that are 0 here. */
const FRAME = {
  id: Number.MAX_SAFE_INTEGER,
  category: 0,
  name: 0,
  photoUrls: 0,
  tags: 0,
  status: "available",
} satisfies Record<Member, unknown>;

/** The length of its JSON, without the four zeros, and with the comma after a pet in a list. */
const FRAME_BYTES = JSON.stringify(FRAME).length - 4 + 1;

/** The largest number of bytes of JSON that a pet with this name can have. */
const bytesWith = (name: SQL): SQL =>
  sql`(octet_length(json_quote(${name})) + octet_length("photoUrls") + coalesce(octet_length("tags"), 0) + coalesce(octet_length("category"), 0) + ${sql.raw(String(FRAME_BYTES))})`;

const NAME = sql.raw('"name"');

/** A condition: with this name and this many more bytes, the pet is not too large. */
const fits = (name: SQL, more: SQL): SQL =>
  sql`${bytesWith(name)} + ${more} <= ${sql.raw(String(MAX_PET_BYTES))}`;

/**
 * Appends the URL of an image to the pet's `photoUrls`, which stay a string or an array. It does so if the upload is in
 * progress, and if `photoUrls`, the pet and its number of images stay within their limits.
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
        and ${isAwaited(p)}
        and iif(
          json_type(${pets.photoUrls}) = 'array',
          json_array_length(${pets.photoUrls}) < ${sql.raw(String(MAX_ITEMS))},
          length((${pets.photoUrls} ->> '$') || ',' || ${p.url}) <= ${sql.raw(String(MAX_PHOTO_URLS))}
        )
        and ${fits(NAME, sql`octet_length(',' || json_quote(${p.url}))`)}
        and ${keptImages(p.petId)} < ${sql.raw(String(MAX_IMAGES))}`,
);

/** Members that are `null` keep their stored values. With a new name, the pet must still be small enough. */
const changeNameAndStatus = statement(
  (p: {
    id: Parameter<number>;
    name: Parameter<string | null>;
    status: Parameter<PetStatus | null>;
    preconditions: Parameter<Preconditions>;
  }) =>
    sql<Pick<PetRow, "id">>`update ${pets} set ${assignments<keyof PetForm | "version">({
      name: sql`coalesce(${p.name}, ${pets.name})`,
      status: sql`coalesce(${p.status}, ${pets.status})`,
      version: sql`${pets.version} + 1`,
    })}
      where ${pets.id} = ${p.id}
        and ${meets(pets.version, p.preconditions)}
        and (${p.name} is null or ${fits(sql`${p.name}`, sql`0`)})
      returning "id"`,
);

const removePet = statement(
  (p: { id: Parameter<number>; preconditions: Parameter<Preconditions> }) =>
    sql<{ id: number; images: string }>`delete from ${pets}
      where ${pets.id} = ${p.id} and ${meets(pets.version, p.preconditions)}
      returning "id", ${imagesOf(pets.id)} as "images"`,
);

interface PageParameters {
  /** A JSON array of the statuses or of the names of tags. */
  readonly wanted: Parameter<string>;
  readonly after: Parameter<number>;
  /** One more than the limit of the page. */
  readonly count: Parameter<number>;
}

/** A parameter again, by its number in the statement. D1 accepts at most 100 parameters, so each is bound only once. */
const AGAIN = { wanted: sql.raw("?1"), after: sql.raw("?2"), count: sql.raw("?3") };

/**
 * The condition of one walk: the first, the second or a later wanted value. If there are fewer values, the walk finds
 * nothing.
 */
function isWanted(column: SQLiteColumn, id: SQLiteColumn, nth: number, p: PageParameters): SQL {
  const { wanted, after } = nth === 0 ? p : AGAIN;
  return sql`${column} = (${wanted} ->> ${sql.raw(`'$[${nth}]'`)}) and ${id} > ${after}`;
}

/** The largest page with more than one pet, in bytes of JSON. */
const MAX_PAGE_BYTES = 1024 * 1024;

/**
 * A page of the pets that `found` gives, and the pet after it. The page is cut before it exceeds `MAX_PAGE_BYTES`. A
 * page has `limit` shares of `MAX_PAGE_BYTES` / `limit` bytes. The size of a pet is rounded up to whole shares, so a
 * small pet takes one. The statement repeats the pet's row for each additional share, and LIMIT counts these rows too.
 * So the walk ends with the page, and it reads one more row only for each additional share. A running sum by a window
 * function would read two rows for each pet, a recursive one at least one, and a window cannot end the walk.
 * @param found a SELECT of the columns of pets by ascending id, which takes the parameters up to `count`
 */
function pageOf(found: SQL) {
  const { count } = AGAIN;
  const most = sql.raw(String(MAX_PAGE_BYTES));
  // ceil(bytes * limit / most), but never so many that there is no room for the pet after the first one
  const shares = sql`cast(min((${bytesWith(NAME)} * (${count} - 1) + ${most} - 1) / ${most}, ${count} - 1) as integer)`;
  const cut = sql`with found as (${found}), sized as (select *, ${shares} as shares from found)
    select sized.*, repeated.key as repeated from sized
    left join json_each(iif(shares > 1, '[0' || replace(format('%.*c', shares - 1, ','), ',', ',0') || ']', null)) as repeated
    order by petId limit ${count}`;
  const columns = list(Object.values(getTableColumns(pets)));
  return sql<PetRow & { shares: number }>`select ${columns}, shares from (${cut}) as ${pets}
    where coalesce(repeated, 0) = 0 order by petId`;
}

/** One ordered walk of the index for each status, merged. IN would sort everything that it finds. */
const petsByStatus = statement((p: PageParameters) => {
  const walks = PetStatus.options.map(
    (_, nth) =>
      sql`select ${pets.id} as petId, * from ${pets} where ${isWanted(pets.status, pets.id, nth, p)}`,
  );
  return pageOf(sql`${sql.join(walks, sql` union all `)} order by petId limit ${p.count}`);
});

/** D1 takes at most 5 terms in a compound SELECT. */
const MOST_TERMS = 5;

/**
 * The ids for `count` tags, starting with tag `first`: one ordered walk of the rows of `pet_tags` for each tag. `count`
 * is a power of `MOST_TERMS`.
 */
function walksOfTags(p: PageParameters, first: number, count: number): SQL {
  if (count === 1) {
    return sql`select ${petTags.petId} as petId from ${petTags} where ${isWanted(petTags.tag, petTags.petId, first, p)}`;
  }
  const size = count / MOST_TERMS;
  const terms = Array.from(
    { length: MOST_TERMS },
    (_, term) => sql`select petId from (${walksOfTags(p, first + term * size, size)})`,
  );
  return sql.join(terms, sql` union all `);
}

/**
 * SQLite merges nested terms like flat ones, without sorting, as long as only the outermost SELECT removes duplicates
 * and orders. `limit -1` keeps SQLite from dropping that order. Each walk reads only as far as the page needs.
 */
const petsByTags = (count: number) =>
  statement((p: PageParameters) => {
    const walks = walksOfTags(p, 0, count);
    const ids =
      count === 1
        ? walks
        : sql`select distinct petId from (select petId from (${walks}) order by petId limit -1)`;
    return pageOf(
      sql`select page.petId, pets.* from (${ids} order by petId limit ${p.count}) as page cross join ${pets} on ${pets.id} = page.petId order by page.petId`,
    );
  });

/**
 * Statements by number of walks, compiled when they are first needed: for 1, 5, 25 and 125 tags. One statement would be
 * enough, because a walk without a tag reads nothing. But D1 takes a millisecond or more to prepare the longest one,
 * and a whole page of 100 by one tag takes no longer than that.
 */
const petsByTagsOf = new Map<number, ReturnType<typeof petsByTags>>();

function statementForTags(count: number): ReturnType<typeof petsByTags> {
  let walks = 1;
  while (walks < count) walks *= MOST_TERMS;
  let compiled = petsByTagsOf.get(walks);
  if (!compiled) {
    compiled = petsByTags(walks);
    petsByTagsOf.set(walks, compiled);
  }
  return compiled;
}

/** The pet with this id. */
export async function findPet(db: Database, id: number): Promise<StoredPet | undefined> {
  const [row] = await db.read(petById({ id }));
  return row && fromRow(row);
}

/** Stores the id and version of a new pet with its idempotency key. */
export const keepPet = keep(pets);

/** A pet as `insertPet` returned it when it was new. */
export function newPetAs(pet: NewPet, created: Created): StoredPet {
  return fromRow({ ...toColumns(pet), ...created });
}

/**
 * Stores a new pet, with the next free id if it has none.
 * @returns the pet that has the id now: the new one, or the one that had it before
 */
export async function insertPet(
  db: Database,
  pet: NewPet,
): Promise<StoredPet & { readonly inserted: boolean }> {
  const { inserted, row } = await db.insert(addPet, toColumns(pet), petById);
  return { ...fromRow(row), inserted };
}

/** Statements that store new pets. Pets with ids come first, so that no generated id takes theirs. */
export function insertionsOfPets(created: readonly NewPet[]): readonly Bound<unknown>[] {
  return chosenIdsFirst(created).map((pet) => addPet(toColumns(pet)));
}

/** Every pet: a statement, and a function that reads its rows. */
export const allPets = { statement: everyPet, fromRow };

/** Replaces the pet with this id, if it meets the preconditions. */
export async function replacePet(
  db: Database,
  pet: Pet,
  preconditions: Preconditions,
): Promise<Change<StoredPet>> {
  const values = { ...toColumns(pet), preconditions };
  const row = await db.change(overwritePet, values, petById({ id: pet.id }), { repeatable: true });
  return typeof row === "string" ? row : fromRow(row);
}

/**
 * Updates the members that `form` has, of the pet with this id, if it meets the preconditions.
 * @returns "full" if the pet has no room for so long a name
 */
export async function updatePet(
  db: Database,
  id: number,
  form: PetForm,
  preconditions: Preconditions,
): Promise<Change<{ id: number }> | "full"> {
  const { name = null, status = null } = form;
  return db.change(changeNameAndStatus, { id, name, status, preconditions }, petVersion({ id }), {
    repeatable: true,
    refusal: ({ version }) => (areMet(preconditions, version) ? "full" : "changed"),
  });
}

/**
 * Appends the URL of an uploaded image to the `photoUrls` of its pet. If this runs twice, the URL is still appended
 * once.
 * @returns "changed" if `photoUrls` have no room for it
 * @throws Unavailable if the upload has expired in the meantime
 */
export async function appendPhotoUrl(
  db: Database,
  image: ImageKey,
  url: string,
): Promise<"appended" | "missing" | "changed"> {
  const [, , [stored], [pet]] = await db.batch(
    [
      appendImageUrl({ ...image, url }),
      keepImage({ ...image, url }),
      imageByName(image),
      petById({ id: image.petId }),
    ],
    { repeatable: true },
  );
  if (!stored || stored.dueAt === 0) throw new Unavailable("the upload took too long");
  if (stored.dueAt === null) return "appended";
  return pet ? "changed" : "missing";
}

/**
 * Deletes the pet with this id, if it meets the preconditions.
 * @returns its id, and the names of its images, which must now be deleted
 */
export async function deletePet(
  db: Database,
  id: number,
  preconditions: Preconditions,
): Promise<Change<{ id: number; images: readonly string[] }>> {
  const find = petById({ id });
  const deleted = await db.change(removePet, { id, preconditions }, find, { repeatable: false });
  if (typeof deleted === "string") return deleted;
  return { id: deleted.id, images: JSON.parse(deleted.images) as string[] };
}

/** Reads a page by one of the statements above. */
async function readPage(
  db: Database,
  page: ReturnType<typeof petsByTags>,
  wanted: readonly string[],
  { after, limit }: PageOf,
): Promise<Page> {
  const rows = await db.read(page({ wanted: JSON.stringify(wanted), after, count: limit + 1 }));
  // The pet that does not have all of its shares is the one after the page.
  const more = rows.reduce((sum, { shares }) => sum + shares, 0) > limit;
  return { items: (more ? rows.slice(0, -1) : rows).map(fromRow), more };
}

/** A page of the pets that have one of these statuses. */
export async function listPetsByStatus(
  db: Database,
  statuses: readonly PetStatus[],
  page: PageOf,
): Promise<Page> {
  return readPage(db, petsByStatus, statuses, page);
}

/** A page of the pets that have a tag with one of these names. */
export async function listPetsByTags(
  db: Database,
  tags: readonly string[],
  page: PageOf,
): Promise<Page> {
  return readPage(db, statementForTags(tags.length), tags, page);
}
