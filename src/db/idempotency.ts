import { sql } from "drizzle-orm";
import type { ByKey, Claim, Created } from "./claim.ts";
import type { Database } from "./client.ts";
import { idempotencyKeys } from "./schema.ts";
import { statement } from "./statement.ts";
import type { Parameter } from "./statement.ts";

type KeyRow = typeof idempotencyKeys.$inferSelect;

const claimByKey = statement(
  (p: ByKey) =>
    sql<KeyRow>`select * from ${idempotencyKeys} where ${idempotencyKeys.key} = ${p.key}`,
);

/** A request that was done with a key. */
export interface Done {
  /** Whether it is the same request as that of the claim. */
  readonly isSame: boolean;
  readonly created: Created | undefined;
}

/** The request that has a key of this claim, and the resource that it created. */
export async function findDone(db: Database, { marks }: Claim): Promise<Done | undefined> {
  const found = await db.batch(
    marks.map(({ key }) => claimByKey({ key })),
    { repeatable: true },
  );
  const row = found.flat()[0];
  if (!row) return undefined;
  const { key, request, resourceId: id, version } = row;
  const isSame = marks.some((mark) => mark.key === key && mark.request === request);
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
