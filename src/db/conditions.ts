import { sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import type { Parameter } from "./statement.ts";
import { idSequences } from "./schema.ts";

/** Versions that a precondition names. */
export type Versions = readonly number[] | "any";

/** Which versions a row may have to be changed or shown. */
export interface Preconditions {
  /** It must have one of these. */
  readonly allowed: Versions;
  /** It must have none of these. */
  readonly excluded: Versions;
}

/** Preconditions that every row meets. */
export const UNCONDITIONAL: Preconditions = { allowed: "any", excluded: [] };

/** Whether there is a row that does not meet them. */
export function isConditional({ allowed, excluded }: Preconditions): boolean {
  return allowed !== "any" || excluded.length > 0;
}

/** Preconditions as `preconditionParameter` puts them; `null`: every row meets them. */
export type PreconditionParameter = string | null;

/** Puts preconditions into one parameter: D1 binds at most 100. */
export function preconditionParameter(preconditions: Preconditions): PreconditionParameter {
  return isConditional(preconditions) ? JSON.stringify(preconditions) : null;
}

/** The row's version meets the preconditions. */
export function meets(version: Column, preconditions: Parameter<PreconditionParameter>): SQL {
  const isNamed = (list: keyof Preconditions) =>
    sql`exists (select 1 from json_each(${preconditions}, ${sql.raw(`'$.${list}'`)}) where value in (${version}, 'any'))`;
  return sql`(${preconditions} is null or (${isNamed("allowed")} and not ${isNamed("excluded")}))`;
}

/** The next id of a table that was never used: migrations/0000_tables.sql keeps it free. */
export function nextId(resource: (typeof idSequences.resource.enumValues)[number]): SQL {
  return sql`(select ${idSequences.next} from ${idSequences} where ${idSequences.resource} = ${sql.raw(`'${resource}'`)})`;
}
