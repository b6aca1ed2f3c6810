import { eq, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { idSequences } from "./schema.ts";
import { build } from "./statement.ts";

/** A table whose ids the database generates. */
export type Resource = (typeof idSequences.resource.enumValues)[number];

/** The next id of a table. Triggers keep it free: docs/decisions/002-the-database-keeps-its-invariants.md. */
export function nextId(resource: Resource): SQL {
  const { next } = idSequences;
  const isOf = eq(idSequences.resource, sql.raw(`'${resource}'`));
  return sql`${build.select({ next }).from(idSequences).where(isOf)}`;
}

/**
 * The next ids, for a statement that inserts several rows: SQLite evaluates all rows before the first trigger runs.
 * @returns a SELECT of `position`, from 0, and `id`
 */
export function nextIds(resource: Resource, count: SQL): SQL {
  const table = sql.identifier(resource);
  const isFree = sql`not exists (select 1 from ${table} where ${table}.id = candidates.id + 1)`;
  // The next id is free. `found` counts the free ids so far.
  return sql`with recursive candidates (id, isFree, found) as (
    select ${nextId(resource)}, true, 1
    union all
    select id + 1, ${isFree}, found + ${isFree} from candidates where found < ${count}
  ) select found - 1 as position, id from candidates where isFree`;
}

/** Puts the items with ids first, so that no generated id is one that a later item chose. */
export const chosenIdsFirst = <Row extends { readonly id: number | null }>(rows: readonly Row[]) =>
  rows.toSorted((one, other) => Number(one.id === null) - Number(other.id === null));
