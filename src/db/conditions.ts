import { sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import type { Parameter } from "./statement.ts";
import { idSequences } from "./schema.ts";

/** Versions that may be written, as `versionParameter` puts them; `null`: any. */
export type VersionParameter = string | null;

/** Puts a list of versions into one parameter: D1 binds at most 100. */
export function versionParameter(versions: readonly number[] | undefined): VersionParameter {
  return versions === undefined ? null : JSON.stringify(versions);
}

/** The row's version is one of the parameter's. */
export function isOneOf(version: Column, versions: Parameter<VersionParameter>): SQL {
  return sql`(${versions} is null or ${version} in (select value from json_each(${versions})))`;
}

/** The next id of a table that was never used: migrations/0000_tables.sql keeps it free. */
export function nextId(resource: (typeof idSequences.resource.enumValues)[number]): SQL {
  return sql`(select ${idSequences.next} from ${idSequences} where ${idSequences.resource} = ${sql.raw(`'${resource}'`)})`;
}
