import { sql } from "drizzle-orm";
import { findingOf } from "./claims.ts";
import type { Claim, Created } from "./claims.ts";
import type { Database } from "./client.ts";
import { idempotencyKeys } from "./schema.ts";
import { statement } from "./statement.ts";
import type { Parameter } from "./statement.ts";

/** The earlier request of an idempotency key. */
export interface Done {
  /** Whether the claim is for the same request. */
  readonly isSame: boolean;
  readonly created: Created | undefined;
}

/** Finds the request that took a key of this claim, and the resource that it created. */
export async function findDone(db: Database, claim: Claim): Promise<Done | undefined> {
  const [row] = await db.readLatest(findingOf(claim));
  if (!row) return undefined;
  const { key, request, resourceId: id, version } = row;
  const isSame = claim.marks.some((mark) => mark.key === key && mark.request === request);
  return { isSame, created: id === null || version === null ? undefined : { id, version } };
}

/** How many keys one statement deletes at most. */
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

/** Deletes expired keys. @param now milliseconds since the epoch */
export async function pruneKeys(db: Database, now: number): Promise<void> {
  const values = { now, count: PRUNED_AT_ONCE };
  for (let found = PRUNED_AT_ONCE; found === PRUNED_AT_ONCE;) {
    found = (await db.write(pruneExpired(values), { repeatable: true })).length;
  }
}
