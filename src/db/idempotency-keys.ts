import { inArray, lte } from "drizzle-orm";
import { findingOf } from "./claims.ts";
import type { Claim, Created } from "./claims.ts";
import type { Database } from "./client.ts";
import { idempotencyKeys } from "./schema.ts";
import { build, statement } from "./statement.ts";
import type { Parameter } from "./statement.ts";

/** A request that was done with a key. */
interface Done {
  /** Whether it is the same request as that of the claim. */
  readonly isSame: boolean;
  readonly created: Created | undefined;
  /** The ids that the database generated for several resources, ascending. */
  readonly ids: readonly number[];
}

/** Finds the request that took a key of this claim. */
export async function findDone(db: Database, claim: Claim): Promise<Done | undefined> {
  const [row] = await db.readLatest(findingOf(claim));
  if (!row) return undefined;
  const { key, request, resourceId: id, version } = row;
  return {
    isSame: claim.marks.some((mark) => mark.key === key && mark.request === request),
    created: id === null || version === null ? undefined : { id, version },
    // `keepNextIds` in claims.ts wrote them.
    ids: JSON.parse(row.ids ?? "[]") as number[],
  };
}

/** How many keys one statement deletes at most. */
const PRUNED_AT_ONCE = 1000;

/**
 * The largest number of keys that one hourly run deletes: more than one client address can add in an hour, by fewer
 * statements than the 50 that a free plan lets a run make.
 */
const PRUNED_A_RUN = 40 * PRUNED_AT_ONCE;

const pruneExpired = statement((p: { now: Parameter<number>; count: Parameter<number> }) => {
  const { key, expiresAt } = idempotencyKeys;
  const expired = build
    .select({ key })
    .from(idempotencyKeys)
    .where(lte(expiresAt, p.now))
    .orderBy(expiresAt)
    .limit(p.count);
  return build.delete(idempotencyKeys).where(inArray(key, expired)).returning({ key });
});

/** Deletes expired keys. @param now milliseconds since the epoch */
export async function pruneKeys(db: Database, now: number): Promise<void> {
  const values = { now, count: PRUNED_AT_ONCE };
  for (let done = 0; done < PRUNED_A_RUN; done += PRUNED_AT_ONCE) {
    const pruned = await db.write(pruneExpired(values), { repeatable: true });
    if (pruned.length < PRUNED_AT_ONCE) return;
  }
}
