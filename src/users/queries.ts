import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { matchesConditions, retryUnlessVersioned, type Conditions } from "../db/conditions.ts";
import { users } from "../db/schema.ts";
import { retry } from "../db/retry.ts";
import { isSameSecret, openPassword, sealPassword } from "../auth/passwords.ts";
import type { NewUser, User } from "./schemas.ts";

export type UserRow = typeof users.$inferSelect;

/** Converts a user to the form of both APIs. Absent fields are left out of the JSON. */
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

/** Whether a stored user has the content of a new user, including the password. */
export async function isSameUser(row: UserRow, user: NewUser, keys: readonly string[]): Promise<boolean> {
  const password = await openPassword(keys, row);
  return isSameSecret(
    JSON.stringify(userOf({ ...row, password })),
    JSON.stringify(userOf({ ...user, id: user.id ?? row.id })),
  );
}

/** Finds the user with this name. */
export async function findUser(db: Database, username: string): Promise<UserRow | undefined> {
  return retry(async () => db.select().from(users).where(eq(users.username, username)).get());
}

/** A user owns itself. */
const COLUMNS = { version: users.version, owner: users.accountId };

/**
 * Changes the members of a user that are not `null`. A new password, or the first one, ends the user's sessions.
 * @param row the user as it was read
 * @returns "username in use" if another user has the new name, `undefined` if none has this one and meets the conditions
 */
export async function updateUser(
  db: Database,
  row: UserRow,
  { password, ...changes }: NewUser,
  keys: readonly string[],
  conditions: Conditions,
): Promise<UserRow | "username in use" | undefined> {
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
      .where(and(eq(users.id, row.id), eq(users.accountId, row.accountId), matchesConditions(conditions, COLUMNS)))
      .returning();
  try {
    const [changed] = await retryUnlessVersioned(conditions, update);
    return changed;
  } catch (error) {
    if (isUniqueViolation(error, "users.username")) return "username in use";
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
      .where(and(eq(users.username, username), matchesConditions(conditions, COLUMNS)))
      .returning({ username: users.username })
      .get();
  return retry(remove, 1);
}
