import { or, sql } from "drizzle-orm";
import { encryptPassword } from "../auth/passwords.ts";
import { batch, type Database } from "../db/client.ts";
import { sortChosenIdsFirst, nextId, noFreeId, findRepetitions } from "../db/creation.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { ATTEMPTS, retry } from "../db/retry.ts";
import { users } from "../db/schema.ts";
import { isSameUser, type UserRow } from "./queries.ts";
import type { NewUser } from "./schemas.ts";

/** A field that another user already has. */
export interface FieldInUse {
  /** The index of the new user. */
  readonly index: number;
  readonly field: "id" | "username";
}

/**
 * Stores all of the new users or none, in one batch. Returns the stored users if the request is a repetition.
 * @param keys the keys for passwords
 * @param countAttempt counts a sign-up with a username in use as a password attempt, because the response reveals whether
 * the password is right
 */
export async function createUsers(
  db: Database,
  newUsers: readonly NewUser[],
  keys: readonly string[],
  countAttempt: (user: string) => Promise<void>,
): Promise<readonly UserRow[] | FieldInUse> {
  // D1 rejects an empty batch.
  if (newUsers.length === 0) return [];
  const duplicate = findDuplicate(newUsers);
  if (duplicate) return duplicate;
  const inOrder = sortChosenIdsFirst(newUsers);
  const places = new Map(inOrder.map((user, place) => [user, place]));
  const inserts = (await toUserRows(inOrder, keys)).map((row) => db.insert(users).values(row).returning());
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const rows = (await retry(async () => batch(db, inserts), 1)).flat();
      return newUsers.flatMap((user) => rows[places.get(user) ?? -1] ?? []);
    } catch (error) {
      if (!isUniqueViolation(error, "users.")) throw error;
    }
    const stored = await findStoredUsers(db, newUsers, keys, countAttempt);
    if (stored) return stored;
  }
  throw noFreeId("users");
}

/** Converts new users to rows. @param keys the keys for passwords */
export const toUserRows = async (newUsers: readonly NewUser[], keys: readonly string[]) =>
  Promise.all(
    newUsers.map(async ({ id, password, ...user }) => ({
      ...user,
      ...(await encryptPassword(keys, password)),
      id: id ?? nextId("users"),
    })),
  );

function findDuplicate(newUsers: readonly NewUser[]): FieldInUse | undefined {
  for (const field of ["id", "username"] as const) {
    const [index] = findRepetitions(newUsers.map((user) => user[field]));
    if (index !== undefined) return { index, field };
  }
  return undefined;
}

/**
 * Returns the stored users if each new user is stored with the same content; otherwise the first field that is in use,
 * or `undefined` if the conflicting users were deleted in the meantime.
 */
async function findStoredUsers(
  db: Database,
  newUsers: readonly NewUser[],
  keys: readonly string[],
  countAttempt: (user: string) => Promise<void>,
): Promise<readonly UserRow[] | FieldInUse | undefined> {
  const stored = await findConflicting(db, newUsers);
  const repeated: UserRow[] = [];
  let firstInUse: FieldInUse | undefined;
  for (const [index, user] of newUsers.entries()) {
    const row = stored.find((each) => hasNameOrId(each, user));
    if (!row && !stored.some(({ id }) => id === user.id)) continue;
    firstInUse ??= { index, field: row && user.username !== null ? "username" : "id" };
    if (!row) return firstInUse;
    // No username contains NUL, so a user without a username has a counter of its own.
    await countAttempt(user.username ?? `\0${row.id}`);
    if (!(await isSameUser(row, user, keys))) return firstInUse;
    repeated.push(row);
  }
  return repeated.length === newUsers.length ? repeated : firstInUse;
}

/** Whether a row has the username of a user or, if the user has no username, the ID. */
const hasNameOrId = (row: UserRow, { id, username }: NewUser): boolean =>
  row.username === username && (username !== null || row.id === id);

/** Finds users with an ID or a username of the new users. The lists are JSON, because D1 accepts only 100 parameters. */
async function findConflicting(db: Database, newUsers: readonly NewUser[]): Promise<UserRow[]> {
  const ids = JSON.stringify(newUsers.map(({ id }) => id));
  const names = JSON.stringify(newUsers.map(({ username }) => username));
  return retry(() =>
    db
      .select()
      .from(users)
      .where(
        or(
          sql`${users.id} in (select value from json_each(${ids}))`,
          sql`${users.username} in (select value from json_each(${names}))`,
        ),
      ),
  );
}
