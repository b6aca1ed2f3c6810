import { DrizzleQueryError, and, eq, inArray, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { DrizzleD1Database } from "drizzle-orm/d1";
import type { AnySQLiteColumn, BaseSQLiteDatabase, ExecuteResultSync } from "drizzle-orm/sqlite-core";
import { messagesOf, retry } from "../retry.ts";
import { idSequences } from "./schema.ts";

/** The database of the Worker (D1), or that of a sandbox (an object's SQLite). */
export type Database = BaseSQLiteDatabase<"async" | "sync", unknown>;

/** A query that is built but not run. */
type Query = BatchItem<"sqlite"> & { prepare(): { execute(): unknown } };

type Results<Queries extends readonly Query[]> = {
  -readonly [Each in keyof Queries]: Awaited<Queries[Each]>;
};

/**
 * Runs queries in one transaction and, on D1, in one call.
 * @throws DrizzleQueryError as single queries do
 */
export async function batch<const Queries extends readonly Query[]>(
  db: Database,
  queries: Queries,
): Promise<Results<Queries>> {
  try {
    // D1's type of a batch is a tuple with a first item, which no list of unknown length is.
    const results =
      db instanceof DrizzleD1Database
        ? await db.batch(queries as unknown as [Query])
        : db.transaction(() => queries.map((query) => runNow(query)));
    // Each result is what the query would give alone, which no type of Drizzle says for a list of any length.
    return results as Results<Queries>;
  } catch (error) {
    throw new DrizzleQueryError("batch", [], error as Error);
  }
}

/** Runs a query of an object's SQLite, which is synchronous: nothing may be awaited inside its transaction. */
const runNow = (query: Query) => (query.prepare().execute() as ExecuteResultSync<unknown>).sync();

/** Whether an error is that of a UNIQUE constraint on a column, such as `users.username`. */
export const isTaken = (error: unknown, column: string): boolean =>
  messagesOf(error).some((message) => message.includes(`UNIQUE constraint failed: ${column}`));

/** The next generated id of a table, inside the statement that inserts the row. A trigger moves it on. */
export const nextId = (resource: typeof idSequences.$inferSelect.resource): SQL<number> =>
  sql`(select ${idSequences.next} from ${idSequences} where ${idSequences.resource} = ${resource})`;

/** New items in the order of their inserts: a generated id must not be one that a later item has. */
export const chosenIdsFirst = <Item extends { readonly id: number | null }>(items: readonly Item[]) =>
  items.toSorted((one, other) => Number(one.id === null) - Number(other.id === null));

/** Conditions on a change: it is done only if they hold. `undefined` is no condition. */
export interface Conditions {
  /** The versions that the row may have, from `If-Match`. */
  readonly versions: readonly number[] | undefined;
  /** The account that the row must belong to. */
  readonly owner: string | undefined;
}

/** The conditions in SQL. */
export const meets = (
  { versions, owner }: Conditions,
  columns: { readonly version: AnySQLiteColumn; readonly owner: AnySQLiteColumn },
): SQL | undefined =>
  and(versions && inArray(columns.version, versions), owner === undefined ? undefined : eq(columns.owner, owner));

/** Who makes a row, and the key that makes its creation repeatable. `null` is none. */
export interface Creation {
  readonly owner: string | null;
  readonly idempotencyKey: string | null;
}

/** Makes a change that is safe to repeat, unless it is under a version: then it would refuse its own success. */
export const retryUnlessVersioned = async <T>({ versions }: Conditions, change: () => Promise<T>): Promise<T> =>
  versions ? change() : retry(change);

/** The row that the same idempotency key of the same owner made before. */
export const sameKey = (
  { owner, idempotencyKey }: Creation,
  columns: { readonly owner: AnySQLiteColumn; readonly idempotencyKey: AnySQLiteColumn },
): SQL | undefined =>
  idempotencyKey === null
    ? undefined
    : and(eq(sql`coalesce(${columns.owner}, '')`, owner ?? ""), eq(columns.idempotencyKey, idempotencyKey));
