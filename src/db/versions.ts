import { Param, sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import type { Parameter } from "./statement.ts";

/** The versions of a row that a write may change. */
export interface Versions {
  /** The row must have one of these. */
  readonly allowed: readonly number[] | "any";
  /** The row must have none of these. */
  readonly excluded: readonly number[] | "any";
}

/** Whether some version is not allowed. */
export function isConditional({ allowed, excluded }: Versions): boolean {
  return allowed !== "any" || excluded.length > 0;
}

/** Whether a write may change a row of this version. */
export function allows({ allowed, excluded }: Versions, version: number): boolean {
  const isIn = (versions: Versions["allowed"]) => versions === "any" || versions.includes(version);
  return isIn(allowed) && !isIn(excluded);
}

/** One parameter, because D1 binds at most 100: JSON, or NULL if every version is allowed. */
const AS_PARAMETER = {
  mapToDriverValue: (given: Versions) => (isConditional(given) ? JSON.stringify(given) : null),
};

/** A condition: the row's version is allowed. */
export function isAllowed(version: Column, versions: Parameter<Versions>): SQL {
  const given = new Param<unknown, string | null>(versions, AS_PARAMETER);
  const isIn = (list: keyof Versions) =>
    sql`exists (select 1 from json_each(${given}, ${sql.raw(`'$.${list}'`)}) where value in (${version}, 'any'))`;
  return sql`(${given} is null or (${isIn("allowed")} and not ${isIn("excluded")}))`;
}
