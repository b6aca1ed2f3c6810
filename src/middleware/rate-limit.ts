import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { expandIPv6 } from "hono/utils/ipaddr";
import { retry } from "../db/retry.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";

/** The period of all limits in wrangler.toml, in seconds. */
const PERIOD_SECONDS = 60;

/** The length of the longest IPv6 address. A client that bypasses Cloudflare can send any length. */
const MAX_ADDRESS_LENGTH = 39;

/** The length of an expanded IPv6 address's first 64 bits: four groups of four digits. */
const NETWORK_LENGTH = 19;

export const TOO_MANY = [429, "Too many requests", { "Retry-After": String(PERIOD_SECONDS) }] as const;

/**
 * Returns the client's IP address; for IPv6 its /64 network, in which a client can choose any address. Returns "" if
 * Cloudflare does not set the header, so that all clients count as one.
 */
export function getClientAddress({ env, req }: Pick<Context<AppEnv>, "env" | "req">): string {
  const address = (env.BEHIND_CLOUDFLARE !== "no" && req.header("CF-Connecting-IP")) || "";
  // An IPv4-mapped address ends with the IPv4 address.
  if (!address.includes(":") || address.includes(".") || address.length > MAX_ADDRESS_LENGTH) {
    return address.slice(address.lastIndexOf(":") + 1);
  }
  return `${expandIPv6(address.toLowerCase()).slice(0, NETWORK_LENGTH)}::/64`;
}

/**
 * Counts a request of a client, if the limiter is bound. If the limiter fails, the request is allowed, and logged with the
 * error.
 * @throws ApiError 429
 */
export async function countRequest(c: Context<AppEnv>): Promise<void> {
  const outcome = await c.env.REQUESTS?.limit({ key: getClientAddress(c) }).catch((error: unknown) =>
    c.set("limiterError", error),
  );
  if (outcome?.success === false) throw new ApiError(TOO_MANY);
}

/** `countRequest` as a middleware. */
export const limitRequests = createMiddleware<AppEnv>(async (c, next) => {
  await countRequest(c);
  await next();
});

/**
 * Counts a password attempt, per username and client and per username over all clients, if the limiters are bound.
 * @throws ApiError 429; Unavailable if a limiter fails, so that attempts are never unlimited
 */
export async function countAttempt(c: Context<AppEnv>, username: string): Promise<void> {
  const { LOGINS, LOGINS_PER_USER } = c.env;
  const own = await retry(async () => LOGINS?.limit({ key: `${getClientAddress(c)} ${username}` }));
  if (own?.success === false) throw new ApiError(TOO_MANY);
  // Checked second, so that one client cannot use up the attempts of all clients.
  const all = await retry(async () => LOGINS_PER_USER?.limit({ key: username }));
  if (all?.success === false) throw new ApiError(TOO_MANY);
}
