import { getTableColumns, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "../db/client.ts";
import { petTags, pets } from "../db/schema.ts";
import { list, statement } from "../db/statement.ts";
import type { Parameter } from "../db/statement.ts";
import { PetStatus } from "./contract.ts";
import { bytesOfPet, fromRow } from "./row.ts";
import type { PetRow, StoredPet } from "./row.ts";

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
 * A page of the pets that `found` gives, and the pet after it. LIMIT cuts the page before it exceeds `MAX_PAGE_BYTES`:
 * the page has room for `limit` shares of `MAX_PAGE_BYTES` / `limit` bytes, and the row of a pet that needs more than
 * one share is repeated for each further one. (A running sum would read each row twice, and could not end the walk.)
 * @param found a SELECT of the columns of pets by ascending id, which takes the parameters up to `count`
 */
function pageOf(found: SQL) {
  const { count } = AGAIN;
  const most = sql.raw(String(MAX_PAGE_BYTES));
  // With the comma after the pet, and rounded up. The pet after the first one always has room.
  const shares = sql`cast(min(((${bytesOfPet()} + 1) * (${count} - 1) + ${most} - 1) / ${most}, ${count} - 1) as integer)`;
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
 * Statements by number of walks: for 1, 5, 25 and 125 tags. One would be enough, because a walk without a tag reads
 * nothing. But D1 takes a millisecond or more to prepare the longest one, which is as long as it takes to read a whole
 * page of 100 by one tag.
 */
const petsByTagsOf: Record<number, ReturnType<typeof petsByTags>> = {};

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
  let walks = 1;
  while (walks < tags.length) walks *= MOST_TERMS;
  return readPage(db, (petsByTagsOf[walks] ??= petsByTags(walks)), tags, page);
}
