import { and, eq, or, sql, type SQL } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { ATTEMPTS, retry } from "./retry.ts";
import { idSequences } from "./schema.ts";
import { sha256 } from "./sha256.ts";

/** The tables with generated IDs. */
type Resource = typeof idSequences.$inferSelect.resource;

/** Returns SQL for the next generated ID of a table. A trigger advances the sequence when the row is inserted. */
export const nextId = (resource: Resource): SQL<number> =>
  sql`(select ${idSequences.next} from ${idSequences} where ${idSequences.resource} = ${resource})`;

/** Sorts new items for insertion: a generated ID must not be one that a later item has chosen. */
export const sortChosenIdsFirst = <Item extends { readonly id: number | null }>(items: readonly Item[]) =>
  items.toSorted((one, other) => Number(one.id === null) - Number(other.id === null));

/** Returns the indexes of values that an earlier item has. `null` does not count. */
export function findRepetitions(values: readonly unknown[]): number[] {
  const seen = new Set<unknown>();
  return values.flatMap((value, index) => (value === null || seen.size < seen.add(value).size ? [] : [index]));
}

/** Returns the error if each of `ATTEMPTS` inserts conflicted with a row that another request then deleted. */
export const noFreeId = (resource: Resource): Error =>
  new Error(`id_sequences: the next ID of ${resource} is always in use`);

/** The owner and idempotency key of a new row; each may be `null`. */
export interface Creation {
  readonly owner: string | null;
  readonly idempotencyKey: string | null;
}

/** The columns of a new row that belong to its creation. */
interface CreationColumns extends Creation {
  /** The SHA-256 of the validated body. */
  readonly idempotencyHash: string | null;
}

/** Returns the owner, idempotency key, and hash as columns of the row. */
export const creationColumns = async (creation: Creation, body: object): Promise<CreationColumns> => ({
  ...creation,
  idempotencyHash: creation.idempotencyKey && (await sha256(JSON.stringify(body))),
});

/** Returns SQL that finds rows with the same ID, or with the same idempotency key of the same owner. */
export const conflictsWith = (
  { owner, idempotencyKey }: Creation,
  id: number | null,
  columns: { readonly id: AnySQLiteColumn; readonly owner: AnySQLiteColumn; readonly idempotencyKey: AnySQLiteColumn },
): SQL | undefined =>
  or(
    // No row has the ID 0.
    eq(columns.id, id ?? 0),
    // In SQL, `null = null` is not true.
    and(eq(sql`coalesce(${columns.owner}, '')`, owner ?? ""), eq(columns.idempotencyKey, idempotencyKey)),
  );

/** Why a row was not created: its ID is in use, or its idempotency key was used with another body. */
export type Conflict = "id in use" | "key reused";

/** The queries that create a row of one table. */
interface Queries<Row> {
  /** Returns `undefined` if another row conflicts. */
  readonly insert: () => Promise<Row | undefined>;
  /** Returns the conflicting rows. */
  readonly find: () => Promise<readonly Row[]>;
  /** Whether a stored row has the content of the new row. */
  readonly isSame: (row: Row) => boolean;
}

/** Creates a row, or returns the stored row if the request is a repetition. @param id the ID that the client chose, if any */
export async function createRow<Row extends CreationColumns>(
  resource: Resource,
  id: number | null,
  { owner, idempotencyKey, idempotencyHash }: CreationColumns,
  { insert, find, isSame }: Queries<Row>,
): Promise<Row | Conflict> {
  const isRepeatable = id !== null || idempotencyKey !== null;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const created = await retry(insert, isRepeatable ? ATTEMPTS : 1);
    if (created) return created;
    const rows = await retry(find);
    const earlier = rows.find((row) => idempotencyKey && row.idempotencyKey === idempotencyKey && row.owner === owner);
    if (earlier) return earlier.idempotencyHash === idempotencyHash ? earlier : "key reused";
    const [stored] = rows;
    if (stored) return stored.owner === owner && isSame(stored) ? stored : "id in use";
    // The conflicting row was deleted after the insert.
  }
  throw noFreeId(resource);
}
