import type { BatchItem } from "drizzle-orm/batch";
import { DrizzleD1Database } from "drizzle-orm/d1";
import type { BaseSQLiteDatabase, ExecuteResultSync } from "drizzle-orm/sqlite-core";

/** The database of the Worker (D1), or of a sandbox (the SQLite of its Durable Object). */
export type Database = BaseSQLiteDatabase<"async" | "sync", unknown>;

/** A query that is built but not yet run. */
type Query = BatchItem<"sqlite"> & { prepare(): { execute(): unknown } };

type Results<Queries extends readonly Query[]> = {
  -readonly [Each in keyof Queries]: Awaited<Queries[Each]>;
};

/** Runs queries in one transaction and, on D1, in one call. */
export async function batch<const Queries extends readonly Query[]>(
  db: Database,
  queries: Queries,
): Promise<Results<Queries>> {
  // D1 types a batch as a tuple with at least one item, which does not fit a list of unknown length.
  const results =
    db instanceof DrizzleD1Database
      ? await db.batch(queries as unknown as [Query])
      : db.transaction(() => queries.map((query) => runSync(query)));
  // Each result is that of its query alone, which Drizzle's types cannot express for a list of any length.
  return results as Results<Queries>;
}

/** Runs a query on a Durable Object's SQLite, which is synchronous: nothing may be awaited in its transaction. */
const runSync = (query: Query) => (query.prepare().execute() as ExecuteResultSync<unknown>).sync();
