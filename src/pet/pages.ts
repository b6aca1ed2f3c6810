import { getTableColumns, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "../db/client.ts";
import { petTags, pets } from "../db/schema.ts";
import { statement } from "../db/statement.ts";
import type { ParametersOf } from "../db/statement.ts";
import { PetStatus } from "./pet.ts";
import { bytesOfPet } from "./row.ts";
import type { PetRow } from "./row.ts";

/** Which part of a list: at most `limit` pets with ids greater than `after`. */
interface PageOf {
  readonly after: number;
  readonly limit: number;
}

/** Pets by ascending id. Fewer than the limit if more would exceed 1 MiB of JSON. */
export interface Page {
  readonly items: readonly PetRow[];
  /** Whether another pet follows them. */
  readonly more: boolean;
}

/** `wanted`: the statuses or the names of tags as a JSON array. `count`: one more than the limit of the page. */
type PageParameters = ParametersOf<{ wanted: string; after: number; count: number }>;

/** A parameter again, by its number in the statement. D1 accepts at most 100 parameters, so each is bound only once. */
const AGAIN = { wanted: sql.raw("?1"), after: sql.raw("?2") };

/** The condition of the walk for one of the wanted values. If there are fewer values, it finds nothing. */
function isWanted(column: SQLiteColumn, id: SQLiteColumn, nth: number, p: PageParameters): SQL {
  const { wanted, after } = nth === 0 ? p : AGAIN;
  return sql`${column} = (${wanted} ->> ${sql.raw(`'$[${nth}]'`)}) and ${id} > ${after}`;
}

/** The largest page, in bytes of JSON. Every pet is much smaller. */
const MAX_PAGE_BYTES = 1024 * 1024;

/**
 * A page of these pets, and the pet after it: the one beyond the limit, or the one with which the page would be too large.
 * `upTo` is the size of the page with this pet, commas included. The window sees only ids and sizes, because it copies
 * what it sees: whole rows, even those that do not fit, would take fourteen times as long where pets are large.
 * @param ids a SELECT of `petId`, without its order
 */
function pageOf(ids: SQL, { count }: PageParameters) {
  const columns = sql.join(Object.values(getTableColumns(pets)), sql`, `);
  return sql<PetRow & { upTo: number }>`with page as (${ids} order by petId limit ${count}),
    measured as (
      select petId, ${bytesOfPet()} + 1 as bytes from page cross join ${pets} on ${pets.id} = petId
    ),
    sized as (
      select petId, bytes, sum(bytes) over (order by petId rows unbounded preceding) as upTo from measured
    )
    select ${columns}, upTo from sized cross join ${pets} on ${pets.id} = petId
    where upTo - bytes <= ${sql.raw(String(MAX_PAGE_BYTES))} order by petId`;
}

/** One ordered walk of the index for each status, merged. IN would sort everything that it finds. */
const petsByStatus = statement((p: PageParameters) => {
  const walks = PetStatus.options.map(
    (_, nth) =>
      sql`select ${pets.id} as petId from ${pets} where ${isWanted(pets.status, pets.id, nth, p)}`,
  );
  return pageOf(sql.join(walks, sql` union all `), p);
});

/** D1 takes at most 5 terms in a compound SELECT. */
const MOST_TERMS = 5;

/** The ids for `count` tags from tag `first`: one ordered walk for each. `count` is a power of `MOST_TERMS`. */
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
 * SQLite merges the nested walks row by row if only the outermost SELECT orders them and removes duplicates. So each walk
 * reads only as far as the page needs. Without `limit -1`, SQLite would drop the inner `order by`, and sort all rows.
 */
const petsByTags = (count: number) =>
  statement((p: PageParameters) => {
    const walks = walksOfTags(p, 0, count);
    const ids =
      count === 1
        ? walks
        : sql`select distinct petId from (select petId from (${walks}) order by petId limit -1)`;
    return pageOf(ids, p);
  });

/** By number of walks: 1, 5, 25 or 125. To prepare the longest takes D1 as long as to read a page of 100 by one tag. */
const petsByTagsOf: Record<number, ReturnType<typeof petsByTags>> = {};

async function readPage(
  db: Database,
  page: ReturnType<typeof petsByTags>,
  wanted: readonly string[],
  { after, limit }: PageOf,
): Promise<Page> {
  const rows = await db.read(page({ wanted: JSON.stringify(wanted), after, count: limit + 1 }));
  const more = rows.length > limit || (rows.at(-1)?.upTo ?? 0) > MAX_PAGE_BYTES;
  return { items: more ? rows.slice(0, -1) : rows, more };
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
  let walks = 1;
  while (walks < tags.length) walks *= MOST_TERMS;
  return readPage(db, (petsByTagsOf[walks] ??= petsByTags(walks)), tags, page);
}
