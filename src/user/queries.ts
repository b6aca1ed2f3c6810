import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { NotUnique } from "../db/engine.ts";
import type { Change, Database } from "../db/client.ts";
import type { Created } from "../db/claims.ts";
import { nextId, nextIds } from "../db/ids.ts";
import { users } from "../db/schema.ts";
import { assignments, columnsOf, rowOf, rowsOf, statement } from "../db/statement.ts";
import type { Bound, Parameter, ParametersOf } from "../db/statement.ts";
import { isAllowed } from "../db/versions.ts";
import type { Versions } from "../db/versions.ts";
import type { Credential, NewUser, SealedUser, StoredUser, User } from "./user.ts";

type UserRow = typeof users.$inferSelect;
type UserId = Pick<UserRow, "id">;

/** The columns of a new user that the database generates. */
const GENERATED = ["accountId", "version"] as const;

/** The columns of a new user. The password is sealed. */
type Column = Exclude<keyof User | keyof UserRow, "password" | (typeof GENERATED)[number]>;

function fromRow(row: UserRow): StoredUser {
  const user = {
    id: row.id,
    username: row.username ?? undefined,
    firstName: row.firstName ?? undefined,
    lastName: row.lastName ?? undefined,
    email: row.email ?? undefined,
    phone: row.phone ?? undefined,
    userStatus: row.userStatus ?? undefined,
  } satisfies Record<Exclude<Column, keyof Credential>, unknown>;
  return { user, credential: row, version: row.version };
}

function toColumns(user: NewUser, { sealedPassword, credentialId }: Credential) {
  return {
    id: user.id ?? null,
    username: user.username ?? null,
    firstName: user.firstName ?? null,
    lastName: user.lastName ?? null,
    email: user.email ?? null,
    phone: user.phone ?? null,
    userStatus: user.userStatus ?? null,
    sealedPassword,
    credentialId,
  } satisfies Record<Column, unknown>;
}

type Columns = ParametersOf<ReturnType<typeof toColumns>>;

const userByName = statement(
  (p: { username: Parameter<string> }) =>
    sql<UserRow>`select * from ${users} where ${users.username} = ${p.username}`,
);

/** The account of a session. It has a username, because nobody can log in without. */
interface Account {
  readonly username: string;
  readonly accountId: string;
}

const accountOfSession = statement(
  (p: { userId: Parameter<number>; credentialId: Parameter<string> }) =>
    sql<Account>`select ${users.username}, ${users.accountId} from ${users}
      where ${users.id} = ${p.userId} and ${users.credentialId} = ${p.credentialId}`,
);

const usersByIdOrName = statement(
  (p: { id: Parameter<number | null>; username: Parameter<string | null> }) =>
    sql<UserRow>`select * from ${users}
      where ${users.id} = ${p.id} or ${users.username} = ${p.username} order by ${users.id}`,
);

const usersByIdsOrNames = statement(
  (p: { ids: Parameter<string>; usernames: Parameter<string> }) =>
    sql<Pick<UserRow, "id" | "username">>`select ${users.id}, ${users.username} from ${users}
      where ${users.id} in (select value from json_each(${p.ids}))
        or ${users.username} in (select value from json_each(${p.usernames}))`,
);

const addUser = statement(
  (p: Columns) =>
    sql<Created>`insert into ${users} ${rowOf({
      ...columnsOf(users, GENERATED),
      id: sql`coalesce(${p.id}, ${nextId("users")})`,
    })} on conflict do nothing returning "id", "version"`,
);

const memberOfItem = (_: unknown, { name }: { readonly name: string }): SQL =>
  sql`item.value ->> ${sql.raw(`'$.${name}'`)}`;

/** Inserts users from the members of `item.value`. @param id an expression */
const rowsOfItems = (id: SQL): SQL => rowsOf({ ...columnsOf(users, GENERATED, memberOfItem), id });

/** Users as a JSON array of their columns. A conflict fails the whole batch, so all are stored or none. */
type ManyUsers = ParametersOf<{ all: string }>;

/** Users with ids that the client chose. */
const addUsersWithIds = statement(
  (p: ManyUsers) =>
    sql<never>`insert into ${users} ${rowsOfItems(sql`item.value ->> '$.id'`)} from json_each(${p.all}) as item`,
);

/** Users who get the next ids, in the order of the array. */
const addUsersWithoutIds = statement(
  (p: ManyUsers) =>
    sql<UserId>`insert into ${users} ${rowsOfItems(sql`next.id`)}
      from (${nextIds("users", sql`json_array_length(${p.all})`)}) as next
      join json_each(${p.all}) as item on item.key = next.position
      returning "id"`,
);

/** What must be true of a user before a change. */
export interface Condition {
  readonly versions: Versions;
  /** The credential that the user must have. `null` means any. */
  readonly requiredId: string | null;
}

const holds = ({ versions, requiredId }: ParametersOf<Condition>): SQL =>
  sql`${isAllowed(users.version, versions)} and (${requiredId} is null or ${users.credentialId} = ${requiredId})`;

/** Members that are `null` keep their stored values. Leaving out the password must not lock the user out. */
const changeUser = statement(
  (p: Columns & { name: Parameter<string> } & ParametersOf<Condition>) =>
    sql<UserRow>`update ${users} set ${assignments({
      ...columnsOf(
        users,
        ["id", ...GENERATED],
        (given, stored) => sql`coalesce(${given}, ${stored})`,
      ),
      credentialId: sql`iif(${p.sealedPassword} is null, ${users.credentialId}, ${p.credentialId})`,
      version: sql`${users.version} + 1`,
    })} where ${users.username} = ${p.name} and ${holds(p)} returning *`,
);

/** This update changes nothing visible, so it does not change the version. */
const replaceSeal = statement(
  (p: ParametersOf<Credential & { id: number; before: string | null }>) =>
    sql`update ${users} set "sealedPassword" = ${p.sealedPassword}
      where ${users.id} = ${p.id}
        and ${users.credentialId} = ${p.credentialId}
        and ${users.sealedPassword} = ${p.before}`,
);

const removeUser = statement(
  (p: { username: Parameter<string> } & ParametersOf<Condition>) =>
    sql<UserId>`delete from ${users} where ${users.username} = ${p.username} and ${holds(p)} returning "id"`,
);

/** Every user: a statement, and a function that reads its rows. */
export const allUsers = {
  statement: statement(() => sql<UserRow>`select * from ${users} order by ${users.id}`),
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
): Promise<Account | undefined> {
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

/** The longest parameter, in UTF-16 units: even at three bytes each, it fits the 2 MB that a value may have. */
const MAX_PARAMETER = 500_000;

/** Users in few parameters, because D1 binds at most 100 to a statement. */
function toParameters(sealed: readonly SealedUser[]): readonly { readonly all: string }[] {
  const parameters: string[][] = [];
  let length = Infinity;
  for (const { user, credential } of sealed) {
    const item = JSON.stringify(toColumns(user, credential));
    length += item.length + 1;
    if (length > MAX_PARAMETER) {
      parameters.push([]);
      ({ length } = item);
    }
    parameters.at(-1)?.push(item);
  }
  return parameters.map((items) => ({ all: `[${items.join(",")}]` }));
}

/**
 * Few statements that store new users.
 * @param keeping what comes before the statements that generate this many ids
 */
export function insertionsOfUsers(
  sealed: readonly SealedUser[],
  keeping: (count: number) => readonly Bound<never>[] = () => [],
): readonly Bound<UserId>[] {
  const { chosen = [], generated = [] } = Object.groupBy(sealed, ({ user }) =>
    user.id === undefined ? "generated" : "chosen",
  );
  // Ids that clients chose go first, so that no generated one takes theirs. Each statement inserts somebody, because an
  // idempotency key is given back if the last statement changed nothing.
  return [
    ...toParameters(chosen).map(addUsersWithIds),
    ...(generated.length > 0 ? keeping(generated.length) : []),
    ...toParameters(generated).map(addUsersWithoutIds),
  ];
}

/** The result of a write that would give two users the same id or name. */
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
  const statements = insertionsOfUsers(sealed, (count) => db.keepingIds(count));
  if (statements.length === 0) return [];
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
 * Updates the members that `user` has, of the user of this name, if the condition holds.
 * @returns the user, or "taken" if another one has the new name
 */
export async function updateUser(
  db: Database,
  username: string,
  user: NewUser,
  credential: Credential,
  condition: Condition,
): Promise<Change<StoredUser> | "taken"> {
  const values = { ...toColumns(user, credential), name: username, ...condition };
  // A second try would not find the user after a rename, or after a change of the credential that the condition names.
  const repeatable =
    (user.username === undefined || user.username === username) &&
    (condition.requiredId === null || credential.sealedPassword === null);
  const change = db.change(changeUser, values, userByName({ username }), { repeatable });
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
  const find = userByName({ username });
  return db.change(removeUser, { username, ...condition }, find, { repeatable: false });
}
