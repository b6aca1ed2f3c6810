import type { BatchItem } from "drizzle-orm/batch";
import { DrizzleD1Database } from "drizzle-orm/d1";
import type { BaseSQLiteDatabase, ExecuteResultSync } from "drizzle-orm/sqlite-core";
import { causesOf } from "./retry.ts";

/** The database of the Worker (D1), or that of a sandbox (an object's SQLite). */
export type Database = BaseSQLiteDatabase<"async" | "sync", unknown>;

/** A query that is built but not run. */
type Query = BatchItem<"sqlite"> & { prepare(): { execute(): unknown } };

type Results<Queries extends readonly Query[]> = {
  -readonly [Each in keyof Queries]: Awaited<Queries[Each]>;
};

/** Runs queries in one transaction and, on D1, in one call. */
export async function batch<const Queries extends readonly Query[]>(
  db: Database,
  queries: Queries,
): Promise<Results<Queries>> {
  // D1's type of a batch is a tuple with a first item, which no list of unknown length is.
  const results =
    db instanceof DrizzleD1Database
      ? await db.batch(queries as unknown as [Query])
      : db.transaction(() => queries.map((query) => runNow(query)));
  // Each result is what the query would give alone, which no type of Drizzle says for a list of any length.
  return results as Results<Queries>;
}

/** Runs a query of an object's SQLite, which is synchronous: nothing may be awaited inside its transaction. */
const runNow = (query: Query) => (query.prepare().execute() as ExecuteResultSync<unknown>).sync();

/** Whether an error is that of a UNIQUE constraint on a column, such as `users.username`. */
export const isTaken = (error: unknown, column: string): boolean =>
  causesOf(error).some(({ message }) => message.includes(`UNIQUE constraint failed: ${column}`));
