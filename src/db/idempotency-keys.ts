import { sql } from "drizzle-orm";
import { findingOf } from "./claims.ts";
import type { Claim, Created } from "./claims.ts";
import type { Database } from "./client.ts";
import { idempotencyKeys } from "./schema.ts";
import { statement } from "./statement.ts";
import type { Parameter } from "./statement.ts";

/** Finds the request that took a key of this claim: whether it is the same request, and what it created. */
export async function findDone(db: Database, claim: Claim) {
  const [row] = await db.readLatest(findingOf(claim));
  if (!row) return undefined;
  const { key, request, resourceId: id, version } = row;
  const isSame = claim.marks.some((mark) => mark.key === key && mark.request === request);
  const created: Created | undefined =
    id === null || version === null ? undefined : { id, version };
  return { isSame, created };
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
