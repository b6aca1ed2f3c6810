import { and, eq, sql, type SQL } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { ATTEMPTS, retry } from "./retry.ts";

/** The versions that a request names. "*" means any version. */
type Versions = readonly number[] | "*";

/** Conditions of a write, which changes nothing unless they hold. `undefined` means no condition. */
export interface Conditions {
  /** The versions of which the row must have one, from `If-Match`. */
  readonly match?: Versions | undefined;
  /** The versions that the row must not have, from `If-None-Match`. */
  readonly noneMatch?: Versions | undefined;
  /** The account that must own the row. */
  readonly owner?: string | undefined;
}

/** Whether a write depends on the version of its row. `If-Match: *` holds for each row. */
export const isVersioned = ({ match = "*", noneMatch }: Conditions): boolean =>
  match !== "*" || noneMatch !== undefined;

/** Whether a version meets the conditions. */
export const meetsConditions = ({ match = "*", noneMatch = [] }: Conditions, version: number): boolean =>
  (match === "*" || match.includes(version)) && noneMatch !== "*" && !noneMatch.includes(version);

/** Returns the conditions as SQL. The versions are one JSON parameter, because D1 accepts only 100 parameters. */
export function matchesConditions(
  { match = "*", noneMatch = [], owner }: Conditions,
  columns: { readonly version: AnySQLiteColumn; readonly owner: AnySQLiteColumn },
): SQL | undefined {
  const isIn = (versions: readonly number[]) =>
    sql`${columns.version} in (select value from json_each(${JSON.stringify(versions)}))`;
  return and(
    match === "*" ? undefined : isIn(match),
    noneMatch === "*" ? sql`false` : noneMatch.length > 0 ? sql`not ${isIn(noneMatch)}` : undefined,
    owner === undefined ? undefined : eq(columns.owner, owner),
  );
}

/**
 * Runs an update. Retries it only if it does not depend on a version. Otherwise, if an attempt succeeded but its response was
 * lost, the next one would find the new version and fail with 412.
 */
export const retryUnlessVersioned = async <T>(conditions: Conditions, update: () => Promise<T>): Promise<T> =>
  retry(update, isVersioned(conditions) ? 1 : ATTEMPTS);
