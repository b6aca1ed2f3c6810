import { and, eq, sql, type SQL } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { ATTEMPTS, retry } from "./retry.ts";

/** Conditions of a write, which changes nothing unless they hold. `undefined` means no condition. */
export interface Conditions {
  /** The versions that the row may have, from `If-Match`. */
  readonly versions: readonly number[] | undefined;
  /** The account that must own the row. */
  readonly owner: string | undefined;
}

/** Returns the conditions as SQL. The versions are one JSON parameter, because D1 accepts only 100 parameters. */
export const matchesConditions = (
  { versions, owner }: Conditions,
  columns: { readonly version: AnySQLiteColumn; readonly owner: AnySQLiteColumn },
): SQL | undefined =>
  and(
    versions && sql`${columns.version} in (select value from json_each(${JSON.stringify(versions)}))`,
    owner === undefined ? undefined : eq(columns.owner, owner),
  );

/** Runs an update, with retries unless it depends on a version: a retry after an unseen success would fail with 412. */
export const retryUnlessVersioned = async <T>({ versions }: Conditions, update: () => Promise<T>): Promise<T> =>
  retry(update, versions ? 1 : ATTEMPTS);
