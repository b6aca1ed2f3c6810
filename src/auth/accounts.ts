import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { prepareOnce } from "../db/prepared.ts";
import { retry } from "../db/retry.ts";
import { users } from "../db/schema.ts";
import type { Session } from "./sessions.ts";

/** The user that sent a request. */
export type Account = Pick<typeof users.$inferSelect, "id" | "username" | "accountId">;

const selectAccount = prepareOnce((db) =>
  db
    .select({ id: users.id, username: users.username, accountId: users.accountId })
    .from(users)
    .where(and(eq(users.id, sql.placeholder("userId")), eq(users.credentialId, sql.placeholder("credentialId"))))
    .prepare(),
);

/** Finds the account of a session, unless it was deleted or its password changed. */
export async function findAccount(db: Database, { userId, credentialId }: Session): Promise<Account | undefined> {
  return retry(async () => selectAccount(db).get({ userId, credentialId }));
}
