import { sql, type SQL } from "drizzle-orm";
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

/**
 * Returns SQL that a row matches if it meets the conditions. It is the same for all conditions, so that writes can be prepared:
 * `conditionValues` returns the values of its placeholders.
 */
export function matchesConditions(columns: {
  readonly version: AnySQLiteColumn;
  readonly owner: AnySQLiteColumn;
}): SQL {
  const match = sql.placeholder("match");
  const noneMatch = sql.placeholder("noneMatch");
  const owner = sql.placeholder("owner");
  return sql`(${match} is null or ${columns.version} in (select value from json_each(${match})))
    and ${columns.version} not in (select value from json_each(${noneMatch}))
    and (${owner} is null or ${columns.owner} = ${owner})`;
}

/** Returns the values for `matchesConditions`. The versions are one JSON parameter, because D1 accepts only 100 parameters. */
export const conditionValues = ({ match = "*", noneMatch = [], owner }: Conditions) => ({
  // `If-None-Match: *` fails for every row, and so does a list without versions.
  match: noneMatch === "*" ? "[]" : match === "*" ? null : JSON.stringify(match),
  noneMatch: JSON.stringify(noneMatch === "*" ? [] : noneMatch),
  owner: owner ?? null,
});

/** Returns SQL for the version of a row after an update. If the update changes no other column, the version stays. */
export const nextVersion = (version: AnySQLiteColumn, changes: object): SQL =>
  Object.values(changes).every((value) => value === undefined) ? sql`${version}` : sql`${version} + 1`;

/**
 * Runs an update. Retries it only if it does not depend on a version. Otherwise, if an attempt succeeded but its response was
 * lost, the next one would find the new version and fail with 412.
 */
export const retryUnlessVersioned = async <T>(conditions: Conditions, update: () => Promise<T>): Promise<T> =>
  retry(update, isVersioned(conditions) ? 1 : ATTEMPTS);
