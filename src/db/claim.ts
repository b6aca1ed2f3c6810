import { sql } from "drizzle-orm";
import { idempotencyKeys } from "./schema.ts";
import type { orders, pets, users } from "./schema.ts";
import { rowOf, statement } from "./statement.ts";
import type { Bound, Parameter, Statement } from "./statement.ts";

// A request with an idempotency key claims the key in the same batch that does its work. The key is UNIQUE, so the
// whole batch of a repeat fails. A key never exists without the work of its request.
//
// changes() and last_insert_rowid() describe the previous statement of the batch. SQLite promises that for one
// connection. D1 runs a batch on one connection but does not document it; test/db/idempotency.test.ts proves it.

/** Identifies a request with an idempotency key: HMACs in hexadecimal. */
export interface Mark {
  /** HMAC of the caller and the key that it sent. */
  readonly key: string;
  /** HMAC of the content of the request. */
  readonly request: string;
}

/** What a request claims, so that its write is done once. */
export interface Claim {
  /**
   * One for each configured secret. The request claims all of them, so a repeat is recognised if the two requests have
   * one secret in common, even while a secret is replaced (docs/decisions/006-idempotency-keys.md).
   */
  readonly marks: readonly [Mark, ...Mark[]];
  /** Stores the id and version that the database gave the new resource. */
  readonly keep: KeepStatement | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The id and version that the database gave a new resource. */
export interface Created {
  readonly id: number;
  readonly version: number;
}

/** How long a key is remembered, in milliseconds. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

export type ByKey = { key: Parameter<string> };

/** When the time of a key is over, the key is free again, even before the hourly run deletes it. */
const removeExpired = statement(
  (p: ByKey & { now: Parameter<number> }) =>
    sql`delete from ${idempotencyKeys} where ${idempotencyKeys.key} = ${p.key} and ${idempotencyKeys.expiresAt} <= ${p.now}`,
);

/** Fails if the key is taken. */
const insertClaim = statement(
  (p: ByKey & { request: Parameter<string>; expiresAt: Parameter<number> }) =>
    sql`insert into ${idempotencyKeys} ${rowOf({ key: p.key, request: p.request, expiresAt: p.expiresAt })}`,
);

/** Deletes the key if the previous statement changed nothing: then there is no answer to repeat. */
const releaseUnchanged = statement(
  (p: ByKey) =>
    sql`delete from ${idempotencyKeys} where ${idempotencyKeys.key} = ${p.key} and changes() = 0`,
);

/** Deletes the key of another mark if the first mark's was deleted. */
const releaseWith = statement(
  (p: ByKey & { first: Parameter<string> }) =>
    sql`delete from ${idempotencyKeys}
      where ${idempotencyKeys.key} = ${p.key}
        and not exists (select 1 from ${idempotencyKeys} as "leading" where "leading"."key" = ${p.first})`,
);

export type KeepStatement = Statement<{ key: string }, unknown>;

/** Stores the id and the version of the row that the batch inserted into this table. */
export const keep = (table: typeof pets | typeof orders | typeof users): KeepStatement =>
  statement(
    (p: ByKey) =>
      sql`update ${idempotencyKeys}
        set "resourceId" = last_insert_rowid(),
          "version" = (select ${table.version} from ${table} where ${table.id} = last_insert_rowid())
        where ${idempotencyKeys.key} = ${p.key}`,
  );

/** The statements of a claim, to be run in one batch: before those of the request, and after them. */
export function statementsOf({ marks, keep: kept, now }: Claim): {
  readonly before: readonly Bound<unknown>[];
  readonly after: readonly Bound<unknown>[];
} {
  const [first, ...others] = marks;
  const expiresAt = now + LIFETIME_MS;
  return {
    before: marks.flatMap(({ key, request }) => [
      removeExpired({ key, now }),
      insertClaim({ key, request, expiresAt }),
    ]),
    after: [
      // The first: it asks what the request's last write changed.
      releaseUnchanged({ key: first.key }),
      ...others.map(({ key }) => releaseWith({ key, first: first.key })),
      ...(kept ? marks.map(({ key }) => kept({ key })) : []),
    ],
  };
}

/** @param keys a JSON array of keys */
const claimsByKeys = statement(
  (p: { keys: Parameter<string>; now: Parameter<number> }) =>
    sql<{ key: string }>`select ${idempotencyKeys.key} from ${idempotencyKeys}
      where ${idempotencyKeys.key} in (select value from json_each(${p.keys})) and ${idempotencyKeys.expiresAt} > ${p.now}`,
);

/** Finds the keys of a claim that an earlier request claimed and that have not expired. */
export function findingOf({ marks, now }: Claim): Bound<{ key: string }> {
  return claimsByKeys({ keys: JSON.stringify(marks.map(({ key }) => key)), now });
}
