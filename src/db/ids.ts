import { eq, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { idRanges, idSequences } from "./schema.ts";
import { build } from "./statement.ts";

/** A table whose ids the database generates. */
export type Resource = (typeof idSequences.resource.enumValues)[number];

/** The next id of a table. The triggers in migrations/0000_tables.sql keep it free. */
export function nextId(resource: Resource): SQL {
  const { next } = idSequences;
  const isOf = eq(idSequences.resource, sql.raw(`'${resource}'`));
  return sql`${build.select({ next }).from(idSequences).where(isOf)}`;
}

/**
 * The next ids, for a statement that inserts several rows: SQLite evaluates all rows before the first trigger runs. Each
 * id is the next one, or the first one after a range of ids that clients chose.
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

/** Puts the items with ids first, so that no generated id is one that a later item chose. */
export function chosenIdsFirst<Item extends { readonly id?: number | undefined }>(
  items: readonly Item[],
): readonly Item[] {
  return items.toSorted(
    (one, other) => Number(one.id === undefined) - Number(other.id === undefined),
  );
}
