import { and, eq, or, sql, type SQL } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { ATTEMPTS, retry } from "./retry.ts";
import { sha256 } from "./sha256.ts";
import { idSequences } from "./schema.ts";

/** The tables whose rows get generated ids. */
type Resource = typeof idSequences.$inferSelect.resource;

/** The next generated id of a table, inside the statement that inserts the row. A trigger moves it on. */
export const nextId = (resource: Resource): SQL<number> =>
  sql`(select ${idSequences.next} from ${idSequences} where ${idSequences.resource} = ${resource})`;

/** New items in the order of their inserts: a generated id must not be one that a later item has. */
export const chosenIdsFirst = <Item extends { readonly id: number | null }>(items: readonly Item[]) =>
  items.toSorted((one, other) => Number(one.id === null) - Number(other.id === null));

/** After `ATTEMPTS` creations that met another row, which was not there any more when it was looked up. */
export const noFreeId = (resource: Resource): Error =>
  new Error(`id_sequences: the next id of ${resource} is always taken`);

/** Who makes a row, and the key under which the request may be repeated. `null` is none. */
export interface Creation {
  readonly owner: string | null;
  readonly idempotencyKey: string | null;
}

/** The same as columns of the row. */
interface CreationColumns extends Creation {
  /** The SHA-256 of the body, as it was validated. */
  readonly idempotencyHash: string | null;
}

/** Who makes a row and how, as columns of the row. */
export const columnsOf = async (creation: Creation, body: object): Promise<CreationColumns> => ({
  ...creation,
  idempotencyHash: creation.idempotencyKey && (await sha256(JSON.stringify(body))),
});

/** Whether a row has this id, or was made by the same owner with the same idempotency key. */
export const isInTheWay = (
  { owner, idempotencyKey }: Creation,
  id: number | null,
  columns: { readonly id: AnySQLiteColumn; readonly owner: AnySQLiteColumn; readonly idempotencyKey: AnySQLiteColumn },
): SQL | undefined =>
  or(
    // No row has the id 0.
    eq(columns.id, id ?? 0),
    // To SQL, nothing equals null.
    and(eq(sql`coalesce(${columns.owner}, '')`, owner ?? ""), eq(columns.idempotencyKey, idempotencyKey)),
  );

/** Why nothing was created: another row has the id, or the idempotency key came with another body before. */
export type Conflict = "id taken" | "key reused";

/** The statements that create a row of one table. */
interface Statements<Row> {
  /** Gives `undefined` if another row is in the way. */
  readonly insert: () => Promise<Row | undefined>;
  /** The rows that are in the way. */
  readonly find: () => Promise<readonly Row[]>;
  /** Whether a row that is stored has the content of the new one. */
  readonly isSame: (row: Row) => boolean;
}

/** Creates a row. A repetition gives the row that is stored. @param id the one that the client chose, if it did */
export async function createRow<Row extends CreationColumns>(
  resource: Resource,
  id: number | null,
  { owner, idempotencyKey, idempotencyHash }: CreationColumns,
  { insert, find, isSame }: Statements<Row>,
): Promise<Row | Conflict> {
  const isRepeatable = id !== null || idempotencyKey !== null;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const created = await retry(insert, isRepeatable ? ATTEMPTS : 1);
    if (created) return created;
    const rows = await retry(find);
    const before = rows.find((row) => idempotencyKey && row.idempotencyKey === idempotencyKey && row.owner === owner);
    if (before) return before.idempotencyHash === idempotencyHash ? before : "key reused";
    const [stored] = rows;
    if (stored) return stored.owner === owner && isSame(stored) ? stored : "id taken";
    // The row that was in the way has gone.
  }
  throw noFreeId(resource);
}
