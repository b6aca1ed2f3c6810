import { and, eq, sql, type SQL } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { ATTEMPTS, retry } from "./retry.ts";

/** Conditions on a change: it is done only if they hold. `undefined` is no condition. */
export interface Conditions {
  /** The versions that the row may have, from `If-Match`. */
  readonly versions: readonly number[] | undefined;
  /** The account that the row must belong to. */
  readonly owner: string | undefined;
}

/** The conditions in SQL. The versions are JSON, because D1 takes 100 parameters. */
export const meets = (
  { versions, owner }: Conditions,
  columns: { readonly version: AnySQLiteColumn; readonly owner: AnySQLiteColumn },
): SQL | undefined =>
  and(
    versions && sql`${columns.version} in (select value from json_each(${JSON.stringify(versions)}))`,
    owner === undefined ? undefined : eq(columns.owner, owner),
  );

/** Makes a change, and tries again. Not under a version: a second attempt would be refused after the first one had succeeded. */
export const retryUnlessVersioned = async <T>({ versions }: Conditions, change: () => Promise<T>): Promise<T> =>
  retry(change, versions ? 1 : ATTEMPTS);
