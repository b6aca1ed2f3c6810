import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { parse } from "hono/utils/cookie";
import { findAccount, type Account } from "../auth/accounts.ts";
import { isSameSecret } from "../auth/passwords.ts";
import { findSession } from "../auth/sessions.ts";
import type { AppEnv, RequestContext } from "./env.ts";
import { ApiError } from "./errors.ts";
import { isSafeMethod, withMetadata } from "./operation.ts";

export const FORBIDDEN = [403, "Forbidden"] as const;

/** Returns a 401. @param parameters further parameters of the challenge, such as `, error="invalid_token"` */
const unauthenticated = (parameters = "") => {
  const headers = { "WWW-Authenticate": `Bearer realm="pet store"${parameters}` };
  return [401, "Log in, or send the API key in the header api_key or X-API-Key", headers] as const;
};

export const UNAUTHENTICATED = unauthenticated();

/** The maximum number of cookies named `session`. Browsers send one for each path on which one was set. */
const MAX_COOKIES = 10;

/** Returns the tokens of a request: the bearer token, then those of cookies. Only the first identifies the user. */
export function getTokens(c: Context<AppEnv>): readonly string[] {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  // Despite `SameSite`, browsers send the cookie for pages of other ports and subdomains, which must not write.
  const site = c.req.header("Sec-Fetch-Site") ?? "none";
  const mayUseCookie = isSafeMethod(c.req) || site === "same-origin" || site === "none";
  // `getCookie` would return only the first of several.
  const pairs = mayUseCookie ? (c.req.header("Cookie") ?? "").split(";") : [];
  const cookies = pairs.map((pair) => parse(pair, "session")["session"]).filter(Boolean);
  return [bearer, ...cookies.slice(0, MAX_COOKIES)].filter((token) => token !== undefined);
}

/** Whether a request has the API key. A wrong key counts as no key: Petstore's clients send "special-key" everywhere. */
export async function hasApiKey(c: RequestContext, apiKey = c.get("settings").apiKey): Promise<boolean> {
  const sent = [c.req.header("api_key"), c.req.header("X-API-Key")];
  for (const key of sent) {
    if (apiKey && key && (await isSameSecret(key, apiKey))) return true;
  }
  return false;
}

/** Finds the account that sent a request. Throws `ApiError` 401. */
async function getAccountOrThrow(c: Context<AppEnv>): Promise<Account> {
  const [token] = getTokens(c);
  if (token === undefined) throw new ApiError(UNAUTHENTICATED);
  const session = await findSession(c.get("sessions"), token);
  const account = session && (await findAccount(c.get("db"), session));
  if (!account) throw new ApiError(unauthenticated(', error="invalid_token"'));
  return account;
}

/** Creates a new middleware for each of the two below, because `withMetadata` attaches the metadata to the function. */
const authenticate = () =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (c.get("settings").isProtected && !(await hasApiKey(c))) c.set("user", await getAccountOrThrow(c));
    await next();
  });

/** Requires a session or the API key where access is protected, and sets `user` for a session. */
export const authenticated = withMetadata({ errors: [UNAUTHENTICATED] }, authenticate());

/** Requires the same for a resource that only its owner may use: the handler, or its WHERE clause, compares the owner. */
export const ownerOnly = withMetadata({ errors: [UNAUTHENTICATED, FORBIDDEN] }, authenticate());

/** Whether the user does not own a row. Always false with the API key, and where access is open. */
export function isForeign(c: Context<AppEnv>, row: { readonly owner: string | null }): boolean {
  const user = c.get("user");
  return user !== undefined && row.owner !== user.accountId;
}
