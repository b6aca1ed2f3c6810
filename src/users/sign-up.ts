import { or, sql } from "drizzle-orm";
import { batch, isTaken, type Database } from "../db/client.ts";
import { chosenIdsFirst, nextId, noFreeId } from "../db/creation.ts";
import { users } from "../db/schema.ts";
import { ATTEMPTS, retry } from "../db/retry.ts";
import { sealPassword } from "../auth/passwords.ts";
import { isSameUser, type UserRow } from "./queries.ts";
import type { NewUser } from "./schemas.ts";

/** A member that another user has already. */
export interface Taken {
  /** Which of the new users. */
  readonly index: number;
  readonly member: "id" | "username";
}

/**
 * Stores new users: all or none, in one batch. A repetition gives the users that are stored.
 * @param keys for passwords
 * @param countAttempt limits attempts for a taken name: the answer tells whether the password is right
 */
export async function createUsers(
  db: Database,
  newUsers: readonly NewUser[],
  keys: readonly string[],
  countAttempt: (username: string) => Promise<void>,
): Promise<readonly UserRow[] | Taken> {
  // D1 takes no empty batch.
  if (newUsers.length === 0) return [];
  const twice = valueTwiceIn(newUsers);
  if (twice) return twice;
  const inOrder = chosenIdsFirst(newUsers);
  const places = new Map(inOrder.map((user, place) => [user, place]));
  const inserts = (await rowsOf(inOrder, keys)).map((row) => db.insert(users).values(row).returning());
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const rows = (await retry(async () => batch(db, inserts), 1)).flat();
      return newUsers.flatMap((user) => rows[places.get(user) ?? -1] ?? []);
    } catch (error) {
      if (!isTaken(error, "users.")) throw error;
    }
    const stored = await storedUsers(db, newUsers, keys, countAttempt);
    if (stored) return stored;
  }
  throw noFreeId("users");
}

/** New users as rows. @param keys for passwords */
export const rowsOf = async (newUsers: readonly NewUser[], keys: readonly string[]) =>
  Promise.all(
    newUsers.map(async ({ id, password, ...user }) => ({
      ...user,
      ...(await sealPassword(keys, password)),
      id: id ?? nextId("users"),
    })),
  );

function valueTwiceIn(newUsers: readonly NewUser[]): Taken | undefined {
  for (const member of ["id", "username"] as const) {
    const values = newUsers.map((user) => user[member]);
    const seen = new Set<unknown>();
    const index = values.findIndex((value) => {
      if (seen.has(value)) return value !== null;
      seen.add(value);
      return false;
    });
    if (index >= 0) return { index, member };
  }
  return undefined;
}

/**
 * The stored users, if each of the new ones is stored with the same content; otherwise the first member that is taken.
 * @returns `undefined` if none is: the users that were in the way have gone
 */
async function storedUsers(
  db: Database,
  newUsers: readonly NewUser[],
  keys: readonly string[],
  countAttempt: (username: string) => Promise<void>,
): Promise<readonly UserRow[] | Taken | undefined> {
  const stored = await findTaken(db, newUsers);
  const repeated: UserRow[] = [];
  let firstTaken: Taken | undefined;
  for (const [index, user] of newUsers.entries()) {
    const row = stored.find((each) => isOf(each, user));
    if (!row && !stored.some(({ id }) => id === user.id)) continue;
    firstTaken ??= { index, member: row && user.username !== null ? "username" : "id" };
    if (!row) return firstTaken;
    await countAttempt(user.username ?? "");
    if (!(await isSameUser(row, user, keys))) return firstTaken;
    repeated.push(row);
  }
  return repeated.length === newUsers.length ? repeated : firstTaken;
}

/** Whether a row has the name of a user or, if that has none, its id. */
const isOf = (row: UserRow, { id, username }: NewUser): boolean =>
  row.username === username && (username !== null || row.id === id);

/** The users that have an id or a name of the new ones. The lists are JSON, because D1 takes 100 parameters. */
async function findTaken(db: Database, newUsers: readonly NewUser[]): Promise<UserRow[]> {
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
