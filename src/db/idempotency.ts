import { eq, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { idempotencyKeys } from "./schema.ts";
import type { orders, pets, users } from "./schema.ts";
import { builder, statement } from "./statement.ts";
import type { Parameter, Statement } from "./statement.ts";

// A request that brings an idempotency key claims it in the very batch that does what it asks for: the key is
// UNIQUE, so the batch of a repeat fails as a whole. Nobody ever sees a key whose request is not done.
//
// changes() and last_insert_rowid() tell of the statement before in the batch. SQLite promises that for one connection;
// D1, which runs a batch on one, does not document it. test/db/idempotency.test.ts holds it.

/** That what a request writes is to be done once. */
export interface Claim {
  /** Stands for the caller and the key that it sent: an HMAC in hexadecimal. */
  readonly key: string;
  /** Stands for what was asked: the same. */
  readonly request: string;
  /** Keeps what the database gave the resource that the request creates. */
  readonly keep: KeepStatement | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the database gave a resource when it was created. */
export interface Created {
  readonly id: number;
  readonly version: number;
}

/** How long a key is remembered, in milliseconds. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

type ByKey = { key: Parameter<string> };

/** A key is free again when its time is over, pruned or not. */
export const expired = statement((p: ByKey & { now: Parameter<number> }) =>
  builder
    .delete(idempotencyKeys)
    .where(sql`${idempotencyKeys.key} = ${p.key} and ${idempotencyKeys.expiresAt} <= ${p.now}`)
    .returning({ key: idempotencyKeys.key }),
);

/** Fails where the key is taken. */
export const claimed = statement(
  (p: ByKey & { request: Parameter<string>; expiresAt: Parameter<number> }) =>
    builder
      .insert(idempotencyKeys)
      .values({ key: p.key, request: p.request, expiresAt: p.expiresAt })
      .returning({ key: idempotencyKeys.key }),
);

/** Gives the key back where the statement before changed nothing: there is no first answer to repeat. */
export const released = statement((p: ByKey) =>
  builder
    .delete(idempotencyKeys)
    .where(sql`${idempotencyKeys.key} = ${p.key} and changes() = 0`)
    .returning({ key: idempotencyKeys.key }),
);

export type KeepStatement = Statement<{ key: string }, unknown>;

/** Keeps the id and the version of the row that the batch inserted into this table. */
export const keep = (table: typeof pets | typeof orders | typeof users): KeepStatement =>
  statement((p: ByKey) =>
    builder
      .update(idempotencyKeys)
      .set({
        resourceId: sql`last_insert_rowid()`,
        version: sql`(select ${table.version} from ${table} where ${table.id} = last_insert_rowid())`,
      })
      .where(eq(idempotencyKeys.key, p.key))
      .returning({ key: idempotencyKeys.key }),
  );

/** The values of a claim's statements. */
export function valuesOf({ key, request, now }: Claim) {
  return { key, request, now, expiresAt: now + LIFETIME_MS };
}

const done = statement((p: ByKey) =>
  builder.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, p.key)),
);

/** What was done under a key. */
export interface Done {
  readonly request: string;
  readonly created: Created | undefined;
}

/** The request that has the key of this claim: what was asked, and what it created. */
export async function findDone(db: Database, { key }: Claim): Promise<Done | undefined> {
  const [row] = await db.read(done, { key });
  if (!row) return undefined;
  const { request, resourceId: id, version } = row;
  return { request, created: id === null || version === null ? undefined : { id, version } };
}

/** The key of a claim that was made before, and is not forgotten yet. */
export const standing = statement((p: ByKey & { now: Parameter<number> }) =>
  builder
    .select({ key: idempotencyKeys.key })
    .from(idempotencyKeys)
    .where(sql`${idempotencyKeys.key} = ${p.key} and ${idempotencyKeys.expiresAt} > ${p.now}`),
);

/** Keys that are pruned by one statement. */
const PRUNED_AT_ONCE = 1000;

const pruned = statement((p: { now: Parameter<number>; count: Parameter<number> }) =>
  builder
    .delete(idempotencyKeys)
    .where(
      sql`${idempotencyKeys.key} in (select ${idempotencyKeys.key} from ${idempotencyKeys} where ${idempotencyKeys.expiresAt} <= ${p.now} order by ${idempotencyKeys.expiresAt} limit ${p.count})`,
    )
    .returning({ key: idempotencyKeys.key }),
);

/** Deletes the keys whose time is over. @param now milliseconds since the epoch */
export async function pruneKeys(db: Database, now: number): Promise<void> {
  const values = { now, count: PRUNED_AT_ONCE };
  for (let found = PRUNED_AT_ONCE; found === PRUNED_AT_ONCE;) {
    found = (await db.write(pruned, values, { repeatable: true })).length;
  }
}
