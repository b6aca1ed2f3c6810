import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import type { Resource } from "./conditions.ts";
import { idempotencyKeys, orders, pets, users } from "./schema.ts";
import { rowOf, statement } from "./statement.ts";
import type { Bound, Parameter } from "./statement.ts";

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
  /** The table whose new row is kept with the key, by its id and version. */
  readonly creates: Resource | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the database gave a new resource. */
export interface Created {
  readonly id: number;
  readonly version: number;
}

/** A request that was done with a key. */
export interface Done {
  /** Whether it is the same request as that of the claim. */
  readonly isSame: boolean;
  readonly created: Created | undefined;
}

/** How long a key is remembered, in milliseconds. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

type ByKey = { key: Parameter<string> };

/** When the time of a key is over, the key is free again, even before the hourly run deletes it. */
const removeExpired = statement(
  (p: ByKey & { now: Parameter<number> }) =>
    sql`delete from ${idempotencyKeys} where ${idempotencyKeys.key} = ${p.key} and ${idempotencyKeys.expiresAt} <= ${p.now}`,
);

/** Fails if the key is taken. */
const insertKey = statement(
  (p: ByKey & { request: Parameter<string>; expiresAt: Parameter<number> }) =>
    sql`insert into ${idempotencyKeys} ${rowOf({ key: p.key, request: p.request, expiresAt: p.expiresAt })}`,
);

/** Deletes the key if the previous statement changed nothing: then there is no answer to repeat. */
const releaseUnchanged = statement(
  (p: ByKey) =>
    sql`delete from ${idempotencyKeys} where ${idempotencyKeys.key} = ${p.key} and changes() = 0`,
);

/** Deletes another key of the same claim if the first one was deleted. */
const releaseWith = statement(
  (p: ByKey & { first: Parameter<string> }) =>
    sql`delete from ${idempotencyKeys}
      where ${idempotencyKeys.key} = ${p.key}
        and not exists (select 1 from ${idempotencyKeys} as "other" where "other"."key" = ${p.first})`,
);

/** @param keys a JSON array of keys */
const liveKeys = statement(
  (p: { keys: Parameter<string>; now: Parameter<number> }) =>
    sql<typeof idempotencyKeys.$inferSelect>`select * from ${idempotencyKeys}
      where ${idempotencyKeys.key} in (select value from json_each(${p.keys})) and ${idempotencyKeys.expiresAt} > ${p.now}`,
);

/** Stores the id and the version of the row that the batch inserted into this table with the key of its request. */
const keep = (table: typeof pets | typeof orders | typeof users) =>
  statement(
    (p: ByKey) =>
      sql`update ${idempotencyKeys}
        set "resourceId" = last_insert_rowid(),
          "version" = (select ${table.version} from ${table} where ${table.id} = last_insert_rowid())
        where ${idempotencyKeys.key} = ${p.key}`,
  );
const keepCreated = { pets: keep(pets), orders: keep(orders), users: keep(users) };

/** The statements of a claim, to be run in one batch: before those of the request, and after them. */
export function statementsOf({ marks, creates, now }: Claim): {
  readonly before: readonly Bound<unknown>[];
  readonly after: readonly Bound<unknown>[];
} {
  const [first, ...others] = marks;
  const expiresAt = now + LIFETIME_MS;
  return {
    before: marks.flatMap(({ key, request }) => [
      removeExpired({ key, now }),
      insertKey({ key, request, expiresAt }),
    ]),
    after: [
      // The first: it asks what the request's last write changed.
      releaseUnchanged({ key: first.key }),
      ...others.map(({ key }) => releaseWith({ key, first: first.key })),
      ...(creates ? marks.map(({ key }) => keepCreated[creates]({ key })) : []),
    ],
  };
}

/** Finds the keys of a claim that an earlier request claimed and that have not expired. */
export function findingOf({ marks, now }: Claim) {
  return liveKeys({ keys: JSON.stringify(marks.map(({ key }) => key)), now });
}

/** The request that has a key of this claim, and the resource that it created. */
export async function findDone(db: Database, claim: Claim): Promise<Done | undefined> {
  const [row] = await db.readLatest(findingOf(claim));
  if (!row) return undefined;
  const { key, request, resourceId: id, version } = row;
  const isSame = claim.marks.some((mark) => mark.key === key && mark.request === request);
  return { isSame, created: id === null || version === null ? undefined : { id, version } };
}

/** The largest number of keys that one statement deletes. */
const PRUNED_AT_ONCE = 1000;

const pruneExpired = statement(
  (p: { now: Parameter<number>; count: Parameter<number> }) =>
    sql`delete from ${idempotencyKeys}
      where ${idempotencyKeys.key} in (
        select ${idempotencyKeys.key} from ${idempotencyKeys}
        where ${idempotencyKeys.expiresAt} <= ${p.now} order by ${idempotencyKeys.expiresAt} limit ${p.count}
      )
      returning "key"`,
);

/** Deletes the keys whose time is over. @param now milliseconds since the epoch */
export async function pruneKeys(db: Database, now: number): Promise<void> {
  const values = { now, count: PRUNED_AT_ONCE };
  for (let found = PRUNED_AT_ONCE; found === PRUNED_AT_ONCE;) {
    found = (await db.write(pruneExpired(values), { repeatable: true })).length;
  }
}
