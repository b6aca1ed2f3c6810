import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import type { AppEnv, Read } from "./env.ts";
import { ApiError } from "./errors.ts";
import { isRead, stating } from "./operation.ts";
import { isSameSecret } from "../auth/passwords.ts";
import { findAccount, type Account } from "../users/queries.ts";
import { findSession } from "../auth/sessions.ts";

export const FORBIDDEN = [403, "Forbidden"] as const;

/** 401. @param error of the challenge, such as `, error="invalid_token"` */
const unauthenticated = (error = "") => {
  const headers = { "WWW-Authenticate": `Bearer realm="pet store"${error}` };
  return [401, "Log in, or send the API key in the header api_key or X-API-Key", headers] as const;
};

export const UNAUTHENTICATED = unauthenticated();

/** The tokens of a request: the bearer token, then the cookie. Only the first decides who sent it. */
export function tokensOf(c: Context<AppEnv>): readonly string[] {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  // Despite `SameSite`, browsers send the cookie for pages of other ports and subdomains, which must not write.
  const site = c.req.header("Sec-Fetch-Site") ?? "none";
  const mayUseCookie = isRead(c.req) || site === "same-origin" || site === "none";
  const cookie = (mayUseCookie && getCookie(c, "session")) || undefined;
  return [bearer, cookie].filter((token) => token !== undefined);
}

/** Whether a request has the API key. A wrong one counts as none: Petstore's clients send "special-key" with anything. */
export async function hasApiKey(c: Read, apiKey = c.get("settings").apiKey): Promise<boolean> {
  const sent = [c.req.header("api_key"), c.req.header("X-API-Key")];
  for (const key of sent) {
    if (apiKey && key && (await isSameSecret(key, apiKey))) return true;
  }
  return false;
}

/** Who sent a request. @throws ApiError 401 */
async function accountOf(c: Context<AppEnv>): Promise<Account> {
  const [token] = tokensOf(c);
  if (token === undefined) throw new ApiError(UNAUTHENTICATED);
  const session = await findSession(c.get("sessions"), token);
  const account = session && (await findAccount(c.get("db"), session));
  if (!account) throw new ApiError(unauthenticated(', error="invalid_token"'));
  return account;
}

/** Demands a session or the API key where access is protected, and sets `user` for a session. */
export const authenticated = stating(
  { refusals: [UNAUTHENTICATED] },
  createMiddleware<AppEnv>(async (c, next) => {
    if (c.get("settings").isProtected && !(await hasApiKey(c))) c.set("user", await accountOf(c));
    await next();
  }),
);

/** Whether a row belongs to another account, or to none. With the API key, and where access is open, nothing is foreign. */
export function isForeign(c: Context<AppEnv>, row: { readonly owner: string | null }): boolean {
  const user = c.get("user");
  return user !== undefined && row.owner !== user.accountId;
}
