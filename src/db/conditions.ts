import { sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import type { Parameter } from "./statement.ts";
import { idRanges, idSequences } from "./schema.ts";

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

type Resource = (typeof idSequences.resource.enumValues)[number];

/** The next id of a table that was never used: migrations/0000_tables.sql keeps it free. */
export function nextId(resource: Resource): SQL {
  return sql`(select ${idSequences.next} from ${idSequences} where ${idSequences.resource} = ${sql.raw(`'${resource}'`)})`;
}

/**
 * So many of the next ids, for one statement that inserts several rows: SQLite evaluates what is inserted before the
 * first trigger runs, so none of them may wait for the trigger of the one before. They are those that the triggers
 * would give, one after the other: what follows an id is the next, or the first behind the run that begins there.
 * @returns a SELECT of `position`, from 0, and `id`
 */
export function nextIds(resource: Resource, count: SQL): SQL {
  const name = sql.raw(`'${resource}'`);
  return sql`with recursive ids (position, id) as (
    select 0, ${nextId(resource)}
    union all
    select ids.position + 1, coalesce(
      (select ${idRanges.last} from ${idRanges} where ${idRanges.resource} = ${name} and ${idRanges.first} = ids.id + 1),
      ids.id
    ) + 1 from ids where ids.position + 1 < ${count}
  ) select position, id from ids`;
}
