import type { Context } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { pathOf, urlOf } from "../http/address.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError, type Refusal } from "../http/errors.ts";
import { isSameSecret, openPassword } from "../auth/passwords.ts";
import { deleteUser, findUser, updateUser, userOf, type UserRow } from "./queries.ts";
import type { NewUser } from "./schemas.ts";
import { beginSession, endSession } from "../auth/sessions.ts";
import { createUsers, type Taken } from "./sign-up.ts";
import { FORBIDDEN, tokensOf } from "../http/access.ts";
import { conditionsOf, setETag } from "../http/etag.ts";
import { countAttempt } from "../middleware/rate-limit.ts";
import { refusalOf } from "../http/resource.ts";

export const DUPLICATE = [409, "Duplicate user"] as const;
const TAKEN = "is a duplicate: another user has it";

/** Users and logins are never cached. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store, no-transform");
});

/** Answers with a user. The password is shown to that user, and to everyone where access is open; never for the API key. */
export async function sendUser(c: Context<AppEnv>, row: UserRow) {
  const { isProtected, passwordKeys } = c.get("settings");
  const isHidden = isProtected && !c.get("user");
  const password = isHidden ? null : await openPassword(passwordKeys, row);
  setETag(c, row);
  return c.json(userOf({ ...row, password }));
}

/** Stores new users: all or none. @throws ApiError 409 that names the member that is taken */
export async function signUpAll(
  c: Context<AppEnv>,
  users: readonly NewUser[],
  fieldOf = ({ index, member }: Taken) => `${index}.${member}`,
): Promise<readonly UserRow[]> {
  const count = async (username: string) => countAttempt(c, username);
  const made = await createUsers(c.get("db"), users, c.get("settings").passwordKeys, count);
  if ("member" in made) throw new ApiError(DUPLICATE, [{ path: fieldOf(made), message: TAKEN }]);
  return made;
}

/** Stores a new user. @throws ApiError 409 that names the member that is taken */
export async function signUp(c: Context<AppEnv>, user: NewUser): Promise<UserRow> {
  const [row] = await signUpAll(c, [user], ({ member }) => member);
  if (!row) throw new Error("a user was stored, but not returned");
  return row;
}

/** The user in the path, for that user or the API key. @throws ApiError 403, whether or not the name exists; 404 */
export async function ownUser(c: Context<AppEnv>, username: string, missing: Refusal): Promise<UserRow> {
  const user = c.get("user");
  if (user && user.username !== username) throw new ApiError(FORBIDDEN);
  const row = await findUser(c.get("db"), username);
  if (!row) throw new ApiError(missing);
  return row;
}

/** Changes the user in the path. @throws ApiError 403, 404, 409, 412 */
export async function changeUser(
  c: Context<AppEnv>,
  username: string,
  changes: NewUser,
  missing: Refusal,
): Promise<UserRow> {
  const conditions = conditionsOf(c);
  const found = await ownUser(c, username, missing);
  const row = await updateUser(c.get("db"), found, changes, c.get("settings").passwordKeys, conditions);
  if (row === "name taken") throw new ApiError(DUPLICATE, [{ path: "username", message: TAKEN }]);
  return row ?? refuseChange(c, username, missing);
}

/** Deletes the user in the path. @throws ApiError 403, 404, 412 */
export async function removeUser(c: Context<AppEnv>, username: string, missing: Refusal): Promise<void> {
  const row = await deleteUser(c.get("db"), username, conditionsOf(c));
  if (!row) await refuseChange(c, username, missing);
}

async function refuseChange(c: Context<AppEnv>, username: string, missing: Refusal): Promise<never> {
  const { accountId } = await ownUser(c, username, missing);
  throw refusalOf(c, { owner: accountId }, missing);
}

/**
 * Logs a user in: sets the cookie and the headers of the answer.
 * @param basePath of the interface: where the cookie counts
 * @returns the token of the session
 */
export async function logIn(
  c: Context<AppEnv>,
  { username, password }: { username: string; password: string },
  basePath: string,
  wrong: Refusal,
): Promise<string> {
  const { passwordKeys, requestsPerMinute, sessionSeconds } = c.get("settings");
  // Logins without a name must not use up the attempts of each other.
  if (username === "") throw new ApiError(wrong);
  await countAttempt(c, username);
  const row = await findUser(c.get("db"), username);
  const stored = row && (await openPassword(passwordKeys, row));
  if (!row || stored === null || stored === undefined || !(await isSameSecret(password, stored))) {
    throw new ApiError(wrong);
  }
  // HEAD must change nothing (RFC 9110, section 9.2.1), and nobody would see the token.
  if (c.req.method === "HEAD") return "";
  const { token, expiresAt } = await beginSession(c.get("sessions"), row, sessionSeconds);
  setCookie(c, "session", token, {
    httpOnly: true,
    maxAge: sessionSeconds,
    path: pathOf(c, basePath),
    sameSite: "Strict",
    secure: urlOf(c, "").protocol === "https:",
  });
  c.header("X-Expires-After", new Date(expiresAt).toISOString());
  c.header("X-Rate-Limit", String(requestsPerMinute));
  return token;
}

/** Ends the sessions that a request presents, and clears the cookie. */
export async function logOut(c: Context<AppEnv>, basePath: string): Promise<void> {
  if (c.req.method === "HEAD") return;
  await Promise.all(tokensOf(c).map(async (token) => endSession(c.get("sessions"), token)));
  const secure = urlOf(c, "").protocol === "https:";
  deleteCookie(c, "session", { path: pathOf(c, basePath), secure });
}
