import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { expandIPv6 } from "hono/utils/ipaddr";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { retry } from "../db/retry.ts";

/** The period of every limit in wrangler.toml, in seconds. */
const PERIOD_SECONDS = 60;

/** The longest IPv6 address. Only Cloudflare is sure to send no longer one. */
const MAX_ADDRESS_LENGTH = 39;

/** The length of the first 64 bits of an expanded IPv6 address: four groups of four digits. */
const NETWORK_LENGTH = 19;

export const TOO_MANY = [429, "Too many requests", { "Retry-After": String(PERIOD_SECONDS) }] as const;

/**
 * The client's address as Cloudflare saw it; of an IPv6 address its /64, in which a client can choose any. "" if the
 * header would be the client's own: all clients count as one then.
 */
export function clientAddress({ env, req }: Pick<Context<AppEnv>, "env" | "req">): string {
  const address = (env.BEHIND_CLOUDFLARE !== "no" && req.header("CF-Connecting-IP")) || "";
  // An IPv4-mapped address ends in an IPv4 address, which is all of it.
  if (!address.includes(":") || address.includes(".") || address.length > MAX_ADDRESS_LENGTH) {
    return address.slice(address.lastIndexOf(":") + 1);
  }
  return `${expandIPv6(address.toLowerCase()).slice(0, NETWORK_LENGTH)}::/64`;
}

/**
 * Counts a request of a client, if the limiter is bound. If that fails, the request goes on, and its log line says why.
 * @throws ApiError 429
 */
export async function countRequest(c: Context<AppEnv>): Promise<void> {
  const outcome = await c.env.REQUESTS?.limit({ key: clientAddress(c) }).catch((error: unknown) =>
    c.set("limiterFault", error),
  );
  if (outcome?.success === false) throw new ApiError(TOO_MANY);
}

/** `countRequest` as a middleware. */
export const limitRequests = createMiddleware<AppEnv>(async (c, next) => {
  await countRequest(c);
  await next();
});

/**
 * Counts an attempt at the password of a user, for the client and for all of them, if the limiters are bound.
 * @throws ApiError 429; Unavailable if a limiter fails, so that attempts are never unlimited
 */
export async function countAttempt(c: Context<AppEnv>, username: string): Promise<void> {
  const { LOGINS, LOGINS_PER_USER } = c.env;
  const own = await retry(async () => LOGINS?.limit({ key: `${clientAddress(c)} ${username}` }));
  if (own?.success === false) throw new ApiError(TOO_MANY);
  // Asked second, so that one client cannot use up the attempts of all.
  const all = await retry(async () => LOGINS_PER_USER?.limit({ key: username }));
  if (all?.success === false) throw new ApiError(TOO_MANY);
}
