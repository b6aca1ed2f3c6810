import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { nextIds } from "./ids.ts";
import type { Resource } from "./ids.ts";
import { idempotencyKeys, orders, pets, users } from "./schema.ts";
import { build, statement } from "./statement.ts";
import type { Bound, Parameter, ParametersOf } from "./statement.ts";

// A request with an idempotency key claims the key in the same batch that does its work. The key is UNIQUE, so a retry's
// whole batch fails, and a key never exists without the work of its request.
//
// changes() and last_insert_rowid() describe the previous statement of the batch. SQLite guarantees that per connection.
// D1 runs a batch on one connection; its documentation does not say so, but test/db/idempotency.test.ts proves it.

/** HMACs in hexadecimal. `key`: of the caller and the idempotency key. `request`: of the content of the request. */
export interface Mark {
  readonly key: string;
  readonly request: string;
}

/** Makes a write happen once. */
export interface Claim {
  /**
   * One for each configured secret, so that a retry is recognised while a secret is being replaced
   * (docs/decisions/006-idempotency-keys.md).
   */
  readonly marks: readonly Mark[];
  /** The table of the new row, whose id and version are stored with the key. */
  readonly creates: Resource | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the database gave a new resource. */
export interface Created {
  readonly id: number;
  readonly version: number;
}

/** How long a key is remembered, in milliseconds. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

/** `keys` and `marks` are JSON arrays. */
type OfClaim = ParametersOf<{ keys: string }>;

const isOf = ({ keys }: OfClaim): SQL =>
  inArray(idempotencyKeys.key, sql`(select value from json_each(${keys}))`);

/** An expired key is free again, even before the hourly run deletes it. */
const removeExpired = statement((p: OfClaim & { now: Parameter<number> }) =>
  build.delete(idempotencyKeys).where(and(isOf(p), lte(idempotencyKeys.expiresAt, p.now))),
);

/** Fails if the key is taken. */
const insertKey = statement((p: ParametersOf<Mark & { expiresAt: number }>) =>
  build.insert(idempotencyKeys).values({ key: p.key, request: p.request, expiresAt: p.expiresAt }),
);

/** Deletes the keys if the previous statement changed nothing: then a retry has no answer to repeat. */
const releaseUnchanged = statement((p: OfClaim) =>
  build.delete(idempotencyKeys).where(and(isOf(p), sql`changes() = 0`)),
);

const liveKeys = statement((p: OfClaim & { now: Parameter<number> }) =>
  build
    .select()
    .from(idempotencyKeys)
    .where(and(isOf(p), gt(idempotencyKeys.expiresAt, p.now))),
);

/** Stores the id and version of the row that the batch inserted into this table with the key. */
const keep = (table: typeof pets | typeof orders | typeof users) =>
  statement((p: OfClaim) => {
    const resourceId = sql`last_insert_rowid()`;
    const created = build
      .select({ version: table.version })
      .from(table)
      .where(eq(table.id, resourceId));
    return build
      .update(idempotencyKeys)
      .set({ resourceId, version: sql`${created}` })
      .where(isOf(p));
  });
const keepCreated = { pets: keep(pets), orders: keep(orders), users: keep(users) };

/** Stores the ids that the next statement of the batch will give to new users, with the key of its request. */
const keepNextIds = statement((p: OfClaim & { count: Parameter<number> }) =>
  build
    .update(idempotencyKeys)
    .set({
      ids: sql`(select json_group_array(id order by id) from (${nextIds("users", sql`${p.count}`)}))`,
    })
    .where(isOf(p)),
);

const keysOf = ({ marks }: Claim): string => JSON.stringify(marks.map(({ key }) => key));

/** The statements of a claim, for the same batch as those of the request: some before them, some after. */
export function statementsOf(claim: Claim) {
  const { marks, creates, now } = claim;
  const keys = keysOf(claim);
  const expiresAt = now + LIFETIME_MS;
  return {
    before: [
      removeExpired({ keys, now }),
      ...marks.map((mark) => insertKey({ ...mark, expiresAt })),
    ],
    // The release comes first, because it checks what the last write of the request changed.
    after: [releaseUnchanged({ keys }), ...(creates ? [keepCreated[creates]({ keys })] : [])],
  };
}

/** The statement of a claim that keeps the ids of `count` users, to be run before the one that generates them. */
export function keepingIdsOf(claim: Claim, count: number): Bound<never> {
  return keepNextIds({ keys: keysOf(claim), count });
}

/** Finds the keys of a claim that an earlier request took and that have not expired. */
export function findingOf(claim: Claim) {
  return liveKeys({ keys: keysOf(claim), now: claim.now });
}
