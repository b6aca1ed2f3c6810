import { and, eq, sql } from "drizzle-orm";
import { NoMatchingKey, isSameSecret, decryptPassword, encryptPassword } from "../auth/passwords.ts";
import type { Database } from "../db/client.ts";
import {
  conditionValues,
  matchesConditions,
  nextVersion,
  retryUnlessVersioned,
  type Conditions,
} from "../db/conditions.ts";
import { Unavailable, isUniqueViolation } from "../db/errors.ts";
import { prepareOnce } from "../db/prepared.ts";
import { ATTEMPTS, retry } from "../db/retry.ts";
import { users } from "../db/schema.ts";
import type { NewUser, User } from "./schemas.ts";

export type UserRow = typeof users.$inferSelect;

/** Converts a user to the form of both APIs. Absent fields are left out of the JSON. */
export const toUser = (row: User) => ({
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
  const password = await decryptPassword(keys, row);
  return isSameSecret(
    JSON.stringify(toUser({ ...row, password })),
    JSON.stringify(toUser({ ...user, id: user.id ?? row.id })),
  );
}

const selectByName = prepareOnce((db) =>
  db
    .select()
    .from(users)
    .where(eq(users.username, sql.placeholder("username")))
    .prepare(),
);

/** Finds the user with this name. */
export async function findUser(db: Database, username: string): Promise<UserRow | undefined> {
  return retry(async () => selectByName(db).get({ username }));
}

/** The columns that conditions compare: a user owns itself. */
const COLUMNS = { version: users.version, owner: users.accountId };

/**
 * Updates the fields of a user that are not `null`. A new password, or the first one, ends the user's sessions.
 * @param found the user as it was read
 * @returns "username in use" if another user has the new name, `undefined` if the user was deleted or renamed, or does not
 * match the conditions
 * @throws Unavailable if other requests change the password before each attempt
 */
export async function updateUser(
  db: Database,
  found: UserRow,
  changes: NewUser,
  keys: readonly string[],
  conditions: Conditions,
): Promise<UserRow | "username in use" | undefined> {
  let row = found;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const updated = await updateUnchanged(db, row, changes, keys, conditions);
    if (updated) return updated;
    const current = await findUser(db, found.username ?? "");
    if (current?.accountId !== row.accountId || current.credentialId === row.credentialId) return undefined;
    row = current;
  }
  throw new Unavailable("other requests changed the password of a user before each attempt to update it");
}

/**
 * Updates a user as it was read. Returns `undefined` if another request has since renamed or replaced the user, or changed a
 * password that this update compares.
 */
async function updateUnchanged(
  db: Database,
  row: UserRow,
  { password, ...changes }: NewUser,
  keys: readonly string[],
  conditions: Conditions,
): Promise<UserRow | "username in use" | undefined> {
  const isNew = password !== null && !(await hasPassword(row, password, keys));
  // The path identifies the user: an ID in the body changes nothing.
  const fields = Object.entries(changes).filter(([name, value]) => name !== "id" && value !== null);
  const set = { ...Object.fromEntries(fields), ...(isNew && (await encryptPassword(keys, password))) };
  const update = async () =>
    db
      .update(users)
      .set({ ...set, version: nextVersion(users.version, set) })
      .where(
        and(
          eq(users.id, row.id),
          eq(users.accountId, row.accountId),
          eq(users.username, row.username ?? ""),
          password === null ? undefined : eq(users.credentialId, row.credentialId),
          matchesConditions(COLUMNS),
        ),
      )
      .returning()
      .prepare()
      .get(conditionValues(conditions));
  try {
    // A retry after an unseen success would not find the old name.
    const isRepeatable = changes.username === null || changes.username === row.username;
    return await (isRepeatable ? retryUnlessVersioned(conditions, update) : retry(update, 1));
  } catch (error) {
    if (isUniqueViolation(error, "users.username")) return "username in use";
    throw error;
  }
}

/** Whether a user has this password. Any password replaces one that no key decrypts. */
async function hasPassword(row: UserRow, password: string, keys: readonly string[]): Promise<boolean> {
  try {
    return await isSameSecret(password, (await decryptPassword(keys, row)) ?? "");
  } catch (error) {
    if (error instanceof NoMatchingKey) return false;
    throw error;
  }
}

const deleteByName = prepareOnce((db) =>
  db
    .delete(users)
    .where(and(eq(users.username, sql.placeholder("username")), matchesConditions(COLUMNS)))
    .returning({ username: users.username })
    .prepare(),
);

/** Deletes a user; a trigger deletes the orders 1 to 10. Returns `undefined` if no user with this name matches the conditions. */
export async function deleteUser(
  db: Database,
  username: string,
  conditions: Conditions,
): Promise<{ username: string | null } | undefined> {
  return retry(async () => deleteByName(db).get({ username, ...conditionValues(conditions) }), 1);
}
