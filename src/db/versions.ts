import { Param, sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import type { Parameter } from "./statement.ts";
import { idRanges, idSequences } from "./schema.ts";

/** Tags that a precondition names. */
export type Named<Tag> = readonly Tag[] | "any";

/** The tags that a resource must or must not have. The tag of a row is its version. */
export interface Preconditions<Tag = number> {
  /** It must have one of these. */
  readonly allowed: Named<Tag>;
  /** It must have none of these. */
  readonly excluded: Named<Tag>;
}

/** Preconditions that every row meets. */
export const UNCONDITIONAL: Preconditions = { allowed: "any", excluded: [] };

/** Whether some row does not meet them. */
export function isConditional({ allowed, excluded }: Preconditions): boolean {
  return allowed !== "any" || excluded.length > 0;
}

/** Whether a tag is one of these. */
export function isNamed<Tag>(tag: Tag, named: Named<Tag>): boolean {
  return named === "any" || named.includes(tag);
}

/** Whether a row of this version meets them. */
export function areMet({ allowed, excluded }: Preconditions, version: number): boolean {
  return isNamed(version, allowed) && !isNamed(version, excluded);
}

/** Preconditions become one parameter, because D1 binds at most 100: JSON, or NULL if every row meets them. */
const AS_PARAMETER = {
  mapToDriverValue: (given: unknown) =>
    isConditional(given as Preconditions) ? JSON.stringify(given) : null,
};

/** The row's version meets the preconditions. */
export function meets(version: Column, preconditions: Parameter<Preconditions>): SQL {
  const given = new Param(preconditions, AS_PARAMETER);
  const names = (tags: keyof Preconditions) =>
    sql`exists (select 1 from json_each(${given}, ${sql.raw(`'$.${tags}'`)}) where value in (${version}, 'any'))`;
  return sql`(${given} is null or (${names("allowed")} and not ${names("excluded")}))`;
}

/** A table whose ids the database generates. */
export type Resource = (typeof idSequences.resource.enumValues)[number];

/** The next id of a table that was never used: migrations/0000_tables.sql keeps it free. */
export function nextId(resource: Resource): SQL {
  return sql`(select ${idSequences.next} from ${idSequences} where ${idSequences.resource} = ${sql.raw(`'${resource}'`)})`;
}

/**
 * The next ids for one statement that inserts several rows: SQLite evaluates all rows before the first trigger runs.
 * After an id comes the next one, or the first one after the run of chosen ids that begins there.
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

/** Puts the items with ids before the others, so that no generated id is one that a later item has. */
export function chosenIdsFirst<Item extends { readonly id?: number | undefined }>(
  items: readonly Item[],
): readonly Item[] {
  return items.toSorted(
    (one, other) => Number(one.id === undefined) - Number(other.id === undefined),
  );
}
