import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { expandIPv6 } from "hono/utils/ipaddr";
import { retry } from "../db/retry.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { getSettings, type Limiters } from "../http/settings.ts";

/** The period of all limits in wrangler.toml, in seconds. */
const PERIOD_SECONDS = 60;

/** The length of the longest IPv6 address. A client that bypasses Cloudflare can send any length. */
const MAX_ADDRESS_LENGTH = 39;

/** The length of an expanded IPv6 address's first 64 bits: four groups of four digits. */
const NETWORK_LENGTH = 19;

const tooMany = (seconds: number) => [429, "Too many requests", { "Retry-After": String(seconds) }] as const;
export const TOO_MANY = tooMany(PERIOD_SECONDS);

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
 * Counts a call, unless the setting `RATE_LIMITS` is "off" or the limiter is not bound.
 * @returns the error if the limit is exceeded
 */
export async function countCall(
  { env }: Pick<Context<AppEnv>, "env">,
  limiter: keyof Limiters,
  key: string,
): Promise<ApiError | undefined> {
  if (getSettings(env).rateLimits === "off") return undefined;
  const { success, retryAfter = PERIOD_SECONDS } = (await env[limiter]?.limit({ key })) ?? { success: true };
  return success ? undefined : new ApiError(tooMany(retryAfter));
}

/**
 * Counts a request of a client. If the limiter fails, the request is allowed, and logged with the error.
 * @throws ApiError 429
 */
export async function countRequest(c: Context<AppEnv>): Promise<void> {
  const error = await countCall(c, "REQUESTS", getClientAddress(c)).catch((failure: unknown) =>
    c.set("limiterError", failure),
  );
  if (error) throw error;
}

/** `countRequest` as a middleware. */
export const limitRequests = createMiddleware<AppEnv>(async (c, next) => {
  await countRequest(c);
  await next();
});

/**
 * Counts a password attempt where access is protected, per user and client and per user over all clients.
 * @param user the username, or another key of the user
 * @throws ApiError 429; Unavailable if a limiter fails, so that attempts are never unlimited
 */
export async function countAttempt(c: Context<AppEnv>, user: string): Promise<void> {
  if (!c.get("settings").isProtected) return;
  const error =
    (await retry(() => countCall(c, "LOGINS", `${getClientAddress(c)} ${user}`))) ??
    // Checked second, so that one client cannot use up the attempts of all clients.
    (await retry(() => countCall(c, "LOGINS_PER_USER", user)));
  if (error) throw error;
}
