import type { Context } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { isSameSecret, decryptPassword } from "../auth/passwords.ts";
import { beginSession, endSession } from "../auth/sessions.ts";
import { FORBIDDEN, getTokens } from "../http/access.ts";
import { resolvePath, resolveUrl } from "../http/address.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { getConditions, setETag } from "../http/etag.ts";
import { writeError } from "../http/resource.ts";
import { sendJson } from "../http/send-json.ts";
import { countAttempt } from "../middleware/rate-limit.ts";
import { deleteUser, findUser, updateUser, toUser, type UserRow } from "./queries.ts";
import type { NewUser } from "./schemas.ts";
import { createUsers, type FieldInUse } from "./sign-up.ts";

export const INVALID_LOGIN = [400, "Invalid username/password supplied"] as const;
export const NOT_FOUND = [404, "User not found"] as const;
export const DUPLICATE = [409, "Duplicate user"] as const;
const IN_USE = "is already in use";

/** Keeps users and logins out of caches. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store, no-transform");
});

/** Sends a user. Includes the password only for the user's own session, and where access is open: never for the API key. */
export async function sendUser(c: Context<AppEnv>, row: UserRow) {
  const { isProtected, passwordKeys } = c.get("settings");
  const isHidden = isProtected && !c.get("user");
  const password = isHidden ? null : await decryptPassword(passwordKeys, row);
  setETag(c, row);
  return sendJson(c, toUser({ ...row, password }));
}

/** Stores all of the new users or none. Throws `ApiError` 409 with the field that is in use. */
export async function createUsersOrThrow(
  c: Context<AppEnv>,
  users: readonly NewUser[],
  fieldPath = ({ index, field }: FieldInUse) => `${index}.${field}`,
): Promise<readonly UserRow[]> {
  const count = async (username: string) => countAttempt(c, username);
  const created = await createUsers(c.get("db"), users, c.get("settings").passwordKeys, count);
  if ("field" in created) throw new ApiError(DUPLICATE, [{ path: fieldPath(created), message: IN_USE }]);
  return created;
}

/** Stores a new user. Throws `ApiError` 409 with the field that is in use. */
export async function createUserOrThrow(c: Context<AppEnv>, user: NewUser): Promise<UserRow> {
  const [row] = await createUsersOrThrow(c, [user], ({ field }) => field);
  if (!row) throw new Error("a user was stored, but not returned");
  return row;
}

/** Finds the user in the path. Throws `ApiError` 403 for another user, whether or not the name exists, and 404. */
export async function getOwnUserOrThrow(c: Context<AppEnv>, username: string): Promise<UserRow> {
  const user = c.get("user");
  if (user && user.username !== username) throw new ApiError(FORBIDDEN);
  const row = await findUser(c.get("db"), username);
  if (!row) throw new ApiError(NOT_FOUND);
  return row;
}

/** Updates the user in the path. Throws `ApiError` 403, 404, 409, 412. */
export async function updateUserOrThrow(c: Context<AppEnv>, username: string, changes: NewUser): Promise<UserRow> {
  const conditions = getConditions(c);
  const found = await getOwnUserOrThrow(c, username);
  const row = await updateUser(c.get("db"), found, changes, c.get("settings").passwordKeys, conditions);
  if (row === "username in use") throw new ApiError(DUPLICATE, [{ path: "username", message: IN_USE }]);
  return row ?? throwWriteError(c, username);
}

/** Deletes the user in the path. Throws `ApiError` 403, 404, 412. */
export async function deleteUserOrThrow(c: Context<AppEnv>, username: string): Promise<void> {
  const row = await deleteUser(c.get("db"), username, getConditions(c));
  if (!row) await throwWriteError(c, username);
}

/** Explains why a write matched no row. Throws `ApiError` 403, 404, 412. */
async function throwWriteError(c: Context<AppEnv>, username: string): Promise<never> {
  const { accountId } = await getOwnUserOrThrow(c, username);
  throw writeError(c, { owner: accountId }, NOT_FOUND);
}

/**
 * Logs a user in, and sets the cookie and headers of the response.
 * @param basePath the base path of the API, to which browsers send the cookie
 * @returns the session token
 * @throws ApiError 400, 429
 */
export async function logIn(
  c: Context<AppEnv>,
  { username, password }: { username: string; password: string },
  basePath: string,
): Promise<string> {
  const { passwordKeys, requestsPerMinute, sessionSeconds } = c.get("settings");
  // Logins without a username must not share one attempt counter.
  if (username === "") throw new ApiError(INVALID_LOGIN);
  await countAttempt(c, username);
  const row = await findUser(c.get("db"), username);
  const stored = row && (await decryptPassword(passwordKeys, row));
  if (!row || stored === null || stored === undefined || !(await isSameSecret(password, stored))) {
    throw new ApiError(INVALID_LOGIN);
  }
  // HEAD must change nothing (RFC 9110, section 9.2.1), and its response has no body for the token.
  if (c.req.method === "HEAD") return "";
  const { token, expiresAt } = await beginSession(c.get("sessions"), row, sessionSeconds);
  setCookie(c, "session", token, {
    httpOnly: true,
    maxAge: sessionSeconds,
    path: resolvePath(c, basePath),
    sameSite: "Strict",
    secure: resolveUrl(c, "").protocol === "https:",
  });
  c.header("X-Expires-After", new Date(expiresAt).toISOString());
  c.header("X-Rate-Limit", String(requestsPerMinute));
  return token;
}

/** Ends the sessions that a request presents, and clears the cookie. */
export async function logOut(c: Context<AppEnv>, basePath: string): Promise<void> {
  if (c.req.method === "HEAD") return;
  await Promise.all(getTokens(c).map(async (token) => endSession(c.get("sessions"), token)));
  const secure = resolveUrl(c, "").protocol === "https:";
  deleteCookie(c, "session", { path: resolvePath(c, basePath), secure });
}
