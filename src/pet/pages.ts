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
export interface PageOf {
  readonly after: number;
  readonly limit: number;
}

/** Pets by ascending id. Fewer than the limit, but at least one, if more would exceed 1 MiB of JSON. */
export interface Page {
  readonly items: readonly PetRow[];
  /** Whether another pet follows them. */
  readonly more: boolean;
}

/** `wanted`: the statuses or the names of tags as a JSON array. `count`: one more than the limit of the page. */
type PageParameters = ParametersOf<{ wanted: string; after: number; count: number }>;

/** A parameter again, by its number in the statement. D1 accepts at most 100 parameters, so each is bound only once. */
const AGAIN = { wanted: sql.raw("?1"), after: sql.raw("?2"), count: sql.raw("?3") };

/** The condition of the walk for one of the wanted values. If there are fewer values, it finds nothing. */
function isWanted(column: SQLiteColumn, id: SQLiteColumn, nth: number, p: PageParameters): SQL {
  const { wanted, after } = nth === 0 ? p : AGAIN;
  return sql`${column} = (${wanted} ->> ${sql.raw(`'$[${nth}]'`)}) and ${id} > ${after}`;
}

/** The largest page with more than one pet, in bytes of JSON. */
const MAX_PAGE_BYTES = 1024 * 1024;

/**
 * A page of the pets that `found` gives, and the pet after it. A page has room for `limit` equal shares of
 * `MAX_PAGE_BYTES`. The row of a pet that needs several shares is repeated for each, so LIMIT ends the page where it is
 * full. (A running sum would read each row twice, and could not end the walk.)
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
  const columns = sql.join(Object.values(getTableColumns(pets)), sql`, `);
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
 * SQLite merges nested terms without sorting as long as only the outermost SELECT removes duplicates and orders.
 * `limit -1` keeps SQLite from dropping that order. Each walk reads only as far as the page needs.
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

/** By number of walks: 1, 5, 25 or 125. To prepare the longest takes D1 as long as to read a page of 100 by one tag. */
const petsByTagsOf: Record<number, ReturnType<typeof petsByTags>> = {};

async function readPage(
  db: Database,
  page: ReturnType<typeof petsByTags>,
  wanted: readonly string[],
  { after, limit }: PageOf,
): Promise<Page> {
  const rows = await db.read(page({ wanted: JSON.stringify(wanted), after, count: limit + 1 }));
  // The pet that does not have all of its shares is the one after the page.
  const more = rows.reduce((sum, { shares }) => sum + shares, 0) > limit;
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
