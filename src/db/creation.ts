import { and, eq, sql, type SQL } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { idSequences } from "./schema.ts";

/** The next generated id of a table, inside the statement that inserts the row. A trigger moves it on. */
export const nextId = (resource: typeof idSequences.$inferSelect.resource): SQL<number> =>
  sql`(select ${idSequences.next} from ${idSequences} where ${idSequences.resource} = ${resource})`;

/** New items in the order of their inserts: a generated id must not be one that a later item has. */
export const chosenIdsFirst = <Item extends { readonly id: number | null }>(items: readonly Item[]) =>
  items.toSorted((one, other) => Number(one.id === null) - Number(other.id === null));

/** Who makes a row, and the key that makes its creation repeatable. `null` is none. */
export interface Creation {
  readonly owner: string | null;
  readonly idempotencyKey: string | null;
}

/** The row that the same idempotency key of the same owner made before. */
export const sameKey = (
  { owner, idempotencyKey }: Creation,
  columns: { readonly owner: AnySQLiteColumn; readonly idempotencyKey: AnySQLiteColumn },
): SQL | undefined =>
  // To SQL, nothing equals null.
  and(eq(sql`coalesce(${columns.owner}, '')`, owner ?? ""), eq(columns.idempotencyKey, idempotencyKey));

/**
 * What stands in the way of a creation. @param rows with its id or its idempotency key
 * @returns the row that it made before, "taken" if another one has its id, "other body" if its key came with another body
 */
export function conflictOf<Row extends Creation & { readonly idempotencyHash: string | null }>(
  rows: readonly Row[],
  { owner, idempotencyKey }: Creation,
  hash: string | null,
  isSame: (row: Row) => boolean,
): Row | "taken" | "other body" | undefined {
  const before = rows.find((row) => idempotencyKey && row.idempotencyKey === idempotencyKey && row.owner === owner);
  if (before) return before.idempotencyHash === hash ? before : "other body";
  const [stored] = rows;
  if (!stored) return undefined;
  return stored.owner === owner && isSame(stored) ? stored : "taken";
}
