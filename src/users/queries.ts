import { and, eq, sql } from "drizzle-orm";
import { isTaken, type Database } from "../db/client.ts";
import { meets, retryUnlessVersioned, type Conditions } from "../db/conditions.ts";
import { users } from "../db/schema.ts";
import { retry } from "../db/retry.ts";
import { isSameSecret, openPassword, sealPassword } from "../auth/passwords.ts";
import type { NewUser, User } from "./schemas.ts";
import type { Session } from "../auth/sessions.ts";

export type UserRow = typeof users.$inferSelect;

/** Who sent a request. */
export type Account = Pick<UserRow, "id" | "username" | "accountId">;

/** A user as both interfaces show it: members that are not set are left out of its JSON. */
export const userOf = (row: User) => ({
  id: row.id,
  username: row.username ?? undefined,
  firstName: row.firstName ?? undefined,
  lastName: row.lastName ?? undefined,
  email: row.email ?? undefined,
  password: row.password ?? undefined,
  phone: row.phone ?? undefined,
  userStatus: row.userStatus ?? undefined,
});

/** Whether a stored user has the content of a new one, its password too. */
export async function isSameUser(row: UserRow, user: NewUser, keys: readonly string[]): Promise<boolean> {
  const password = await openPassword(keys, row);
  return isSameSecret(
    JSON.stringify(userOf({ ...row, password })),
    JSON.stringify(userOf({ ...user, id: user.id ?? row.id })),
  );
}

/** The user with this name. */
export async function findUser(db: Database, username: string): Promise<UserRow | undefined> {
  return retry(async () => db.select().from(users).where(eq(users.username, username)).get());
}

/** The account of a session, unless it was deleted or has another password since. */
export async function findAccount(db: Database, { userId, credentialId }: Session): Promise<Account | undefined> {
  return retry(async () =>
    db
      .select({ id: users.id, username: users.username, accountId: users.accountId })
      .from(users)
      .where(and(eq(users.id, userId), eq(users.credentialId, credentialId)))
      .get(),
  );
}

/** A user is its own owner. */
const COLUMNS = { version: users.version, owner: users.accountId };

/**
 * Changes the members of a user that are not `null`. A new password, or the first one, ends the user's sessions.
 * @param row the user as it was read
 * @returns "name taken" if another user has the new name, `undefined` if none has this one and meets the conditions
 */
export async function updateUser(
  db: Database,
  row: UserRow,
  { password, ...changes }: NewUser,
  keys: readonly string[],
  conditions: Conditions,
): Promise<UserRow | "name taken" | undefined> {
  // Any new password replaces one that no key opens.
  const stored = await openPassword(keys, row).catch(() => null);
  const isNew = password !== null && !(await isSameSecret(password, stored ?? ""));
  // The path names the user: an id in the body changes nothing.
  const set = Object.entries(changes).filter(([name, value]) => name !== "id" && value !== null);
  const credential = isNew ? await sealPassword(keys, password) : {};
  const update = async () =>
    db
      .update(users)
      .set({ ...Object.fromEntries(set), ...credential, version: sql`${users.version} + 1` })
      .where(and(eq(users.id, row.id), eq(users.accountId, row.accountId), meets(conditions, COLUMNS)))
      .returning();
  try {
    const [changed] = await retryUnlessVersioned(conditions, update);
    return changed;
  } catch (error) {
    if (isTaken(error, "users.username")) return "name taken";
    throw error;
  }
}

/** Deletes a user, and its orders 1 to 10. @returns `undefined` if none has this name and meets the conditions */
export async function deleteUser(
  db: Database,
  username: string,
  conditions: Conditions,
): Promise<{ username: string | null } | undefined> {
  const remove = async () =>
    db
      .delete(users)
      .where(and(eq(users.username, username), meets(conditions, COLUMNS)))
      .returning({ username: users.username })
      .get();
  return retry(remove, 1);
}
