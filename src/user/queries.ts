import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { Column, SQL } from "drizzle-orm";
import { NotUnique } from "../db/engine.ts";
import type { Change, Database } from "../db/client.ts";
import type { Created } from "../db/claims.ts";
import { chosenIdsFirst, nextId, nextIds } from "../db/ids.ts";
import { columnsOf, membersOf } from "../db/rows.ts";
import { firstVersion, newAccountId, users } from "../db/schema.ts";
import { build, statement } from "../db/statement.ts";
import type { Bound, Parameter, ParametersOf } from "../db/statement.ts";
import { isAllowed } from "../db/versions.ts";
import type { Versions } from "../db/versions.ts";
import type { Credential, NewUser, SealedUser, StoredUser } from "./user.ts";

type UserRow = typeof users.$inferSelect;
type UserId = Pick<UserRow, "id">;

function fromRow(row: UserRow): StoredUser {
  const { sealedPassword, credentialId, accountId: _, version, ...members } = row;
  return { user: membersOf(members), credential: { sealedPassword, credentialId }, version };
}

/** The columns of a new user, without those that the database generates. */
function toColumns(user: NewUser, credential: Credential) {
  const { password: _, ...members } = user;
  return columnsOf(users, { ...members, ...credential });
}

type Columns = ReturnType<typeof toColumns>;

const userByName = statement((p: { username: Parameter<string> }) =>
  build.select().from(users).where(eq(users.username, p.username)),
);

const accountOfSession = statement((p: ParametersOf<{ userId: number; credentialId: string }>) =>
  build
    .select({ username: users.username, accountId: users.accountId })
    .from(users)
    .where(and(eq(users.id, p.userId), eq(users.credentialId, p.credentialId))),
);

const usersByIdOrName = statement(
  (p: ParametersOf<{ id: number | null; username: string | null }>) =>
    build
      .select()
      .from(users)
      .where(or(eq(users.id, p.id), eq(users.username, p.username)))
      .orderBy(users.id),
);

/** @param items a JSON array */
const isIn = (column: Column, items: Parameter<string>) =>
  inArray(column, sql`(select value from json_each(${items}))`);

const usersByIdsOrNames = statement((p: ParametersOf<{ ids: string; usernames: string }>) =>
  build
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(or(isIn(users.id, p.ids), isIn(users.username, p.usernames))),
);

const addUser = statement((p: ParametersOf<Columns>) =>
  build
    .insert(users)
    .values({
      id: sql`coalesce(${p.id}, ${nextId("users")})`,
      username: p.username,
      firstName: p.firstName,
      lastName: p.lastName,
      email: p.email,
      sealedPassword: p.sealedPassword,
      phone: p.phone,
      userStatus: p.userStatus,
      credentialId: p.credentialId,
    } satisfies Record<keyof Columns, unknown>)
    .onConflictDoNothing()
    .returning({ id: users.id, version: users.version }),
);

/** `all` is a JSON array of the columns of users. A conflict fails the whole batch, so all are stored or none. */
type ManyUsers = ParametersOf<{ all: string }>;

const ofItem = (member: keyof Columns) =>
  sql`item.value ->> ${sql.raw(`'$.${member}'`)}`.as(member);

/** Inserts the users that are each `item.value` of a source. @param id an expression */
const insertItems = (id: SQL, source: SQL) =>
  build.insert(users).select(
    build
      .select({
        id: id.as("id"),
        username: ofItem("username"),
        firstName: ofItem("firstName"),
        lastName: ofItem("lastName"),
        email: ofItem("email"),
        sealedPassword: ofItem("sealedPassword"),
        phone: ofItem("phone"),
        userStatus: ofItem("userStatus"),
        credentialId: ofItem("credentialId"),
        accountId: newAccountId.as("accountId"),
        version: firstVersion.as("version"),
      })
      .from(source),
  );

/** Users with ids that the client chose. */
const addUsersWithIds = statement((p: ManyUsers) =>
  insertItems(sql`item.value ->> '$.id'`, sql`json_each(${p.all}) as item`),
);

/** Users who get the next ids, in the order of the array. */
const addUsersWithoutIds = statement((p: ManyUsers) => {
  const next = nextIds("users", sql`json_array_length(${p.all})`);
  const source = sql`(${next}) as next join json_each(${p.all}) as item on item.key = next.position`;
  return insertItems(sql`next.id`, source).returning({ id: users.id });
});

/** What must be true of a user before a change. */
interface Condition {
  readonly versions: Versions;
  /** The credential that the user must have. `null` means any. */
  readonly requiredId: string | null;
}

const holds = ({ versions, requiredId }: ParametersOf<Condition>) =>
  and(
    isAllowed(users.version, versions),
    or(isNull(requiredId), eq(users.credentialId, requiredId)),
  );

const orStored = (given: Parameter<unknown>, stored: Column) => sql`coalesce(${given}, ${stored})`;

/** Members that are `null` keep their stored values. Leaving out the password must not lock the user out. */
const changeUser = statement((p: ParametersOf<Columns & Condition & { name: string }>) =>
  build
    .update(users)
    .set({
      username: orStored(p.username, users.username),
      firstName: orStored(p.firstName, users.firstName),
      lastName: orStored(p.lastName, users.lastName),
      email: orStored(p.email, users.email),
      sealedPassword: orStored(p.sealedPassword, users.sealedPassword),
      phone: orStored(p.phone, users.phone),
      userStatus: orStored(p.userStatus, users.userStatus),
      credentialId: sql`iif(${p.sealedPassword} is null, ${users.credentialId}, ${p.credentialId})`,
      version: sql`${users.version} + 1`,
    } satisfies Record<keyof Omit<UserRow, "id" | "accountId">, unknown>)
    .where(and(eq(users.username, p.name), holds(p)))
    .returning(),
);

/** This update changes nothing visible, so it does not change the version. */
const replaceSeal = statement(
  (p: ParametersOf<Credential & { id: number; before: string | null }>) =>
    build
      .update(users)
      .set({ sealedPassword: sql`${p.sealedPassword}` })
      .where(
        and(
          eq(users.id, p.id),
          eq(users.credentialId, p.credentialId),
          eq(users.sealedPassword, p.before),
        ),
      ),
);

const removeUser = statement((p: ParametersOf<Condition & { username: string }>) =>
  build
    .delete(users)
    .where(and(eq(users.username, p.username), holds(p)))
    .returning({ id: users.id }),
);

/** Every user: a statement, and a function that reads its rows. */
export const allUsers = {
  statement: statement(() => build.select().from(users).orderBy(users.id)),
  fromRow,
};

/** The user of this name. */
export async function findUser(db: Database, username: string): Promise<StoredUser | undefined> {
  const [row] = await db.read(userByName({ username }));
  return row && fromRow(row);
}

/** The user of this name, for a decision that must not use data from before the request. */
export async function findUserNow(db: Database, username: string): Promise<StoredUser | undefined> {
  const [row] = await db.readLatest(userByName({ username }));
  return row && fromRow(row);
}

/** The account of a session; `undefined` if it was deleted or has another credential now. */
export async function findAccountOfSession(
  db: Database,
  session: { readonly userId: number; readonly credentialId: string },
): Promise<Pick<UserRow, "username" | "accountId"> | undefined> {
  const [account] = await db.readLatest(accountOfSession(session));
  return account;
}

/**
 * Stores a new user, with the next free id if it has none.
 * @returns what the database gave it. If the id or the name is taken, nothing is stored, and the result is the users that
 *   have them
 */
export async function insertUser(
  db: Database,
  user: NewUser,
  credential: Credential,
): Promise<Created | { readonly present: StoredUser[] }> {
  const columns = toColumns(user, credential);
  const [[created], present] = await db.batch(
    [addUser(columns), usersByIdOrName(columns)],
    // A second try finds the user that the first try stored, which has the same content.
    { repeatable: user.id !== undefined || user.username !== undefined },
  );
  return created ?? { present: present.map(fromRow) };
}

/** Users in one parameter, because D1 binds at most 100 to a statement. */
const toParameter = (sealed: readonly SealedUser[]) => ({
  all: JSON.stringify(sealed.map(({ user, credential }) => toColumns(user, credential))),
});

/** Statements that store new users. */
export function insertionsOfUsers(sealed: readonly SealedUser[]): readonly Bound<unknown>[] {
  return chosenIdsFirst(sealed.map(({ user, credential }) => toColumns(user, credential))).map(
    addUser,
  );
}

/** Returns this result if a UNIQUE constraint refuses the write. */
const whereNotUnique =
  <Result>(result: Result) =>
  (error: unknown): Result => {
    if (error instanceof NotUnique) return result;
    throw error;
  };

/**
 * Stores all of these users, or none.
 * @returns the ids that the database generated, for the users without an id, in order. `undefined` if they were not
 *   stored, because an id or a name is taken, even by another one of them
 */
export async function insertUsers(
  db: Database,
  sealed: readonly SealedUser[],
): Promise<readonly number[] | undefined> {
  if (sealed.length === 0) return [];
  const { chosen = [], generated = [] } = Object.groupBy(sealed, ({ user }) =>
    user.id === undefined ? "generated" : "chosen",
  );
  // Ids that clients chose go first, so that no generated one takes theirs. Each statement inserts somebody: an idempotency
  // key is released if the last statement changed nothing.
  const statements: Bound<UserId>[] = [
    ...(chosen.length > 0 ? [addUsersWithIds(toParameter(chosen))] : []),
    ...(generated.length > 0
      ? [...db.keepingIds(generated.length), addUsersWithoutIds(toParameter(generated))]
      : []),
  ];
  const rows = db.batch(statements, { repeatable: false });
  return rows.then(
    // SQLite does not promise the order of RETURNING. The ids ascend in the order of the users.
    (stored) =>
      stored
        .flat()
        .map(({ id }) => id)
        .toSorted((one, other) => one - other),
    whereNotUnique(undefined),
  );
}

/** The stored users that have an id or a name of these. */
export async function findTaken(
  db: Database,
  wanted: readonly NewUser[],
): Promise<{ readonly id: number; readonly username: string | null }[]> {
  return db.read(
    usersByIdsOrNames({
      ids: JSON.stringify(wanted.flatMap(({ id = [] }) => id)),
      usernames: JSON.stringify(wanted.flatMap(({ username = [] }) => username)),
    }),
  );
}

/**
 * Updates the user of this name, if the condition holds: the members that `user` has.
 * @returns the user, or "taken" if another one has the new name
 */
export async function updateUser(
  db: Database,
  username: string,
  user: NewUser,
  credential: Credential,
  condition: Condition,
): Promise<Change<StoredUser> | "taken"> {
  const values = { ...toColumns(user, credential), ...condition, name: username };
  // A second try would not find the user after a rename, or after a change of the credential that the condition names.
  const repeatable =
    (user.username === undefined || user.username === username) &&
    (condition.requiredId === null || credential.sealedPassword === null);
  const change = db.change(changeUser(values), userByName({ username }), {
    versions: condition.versions,
    repeatable,
  });
  const row = await change.catch(whereNotUnique("taken" as const));
  return typeof row === "string" ? row : fromRow(row);
}

/**
 * Stores the same password, sealed again. Does nothing if the account has another credential now.
 * @param resealed has the credential id that is stored
 */
export async function resealUser(
  db: Database,
  { user: { id }, credential }: StoredUser,
  { sealedPassword, credentialId }: Credential,
): Promise<void> {
  const values = { id, before: credential.sealedPassword, sealedPassword, credentialId };
  await db.write(replaceSeal(values), { repeatable: true });
}

/** Deletes the user of this name, if the condition holds. */
export async function deleteUser(
  db: Database,
  username: string,
  condition: Condition,
): Promise<Change<{ id: number }>> {
  return db.change(removeUser({ username, ...condition }), userByName({ username }), {
    versions: condition.versions,
    repeatable: false,
  });
}
