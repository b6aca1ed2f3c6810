import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { retry } from "../db/retry.ts";

/** The period of every limit in wrangler.toml, in seconds. */
const PERIOD_SECONDS = 60;

export const TOO_MANY = [429, "Too many requests", { "Retry-After": String(PERIOD_SECONDS) }] as const;

/**
 * The client's address as Cloudflare saw it; of an IPv6 address its /64, in which a client can choose any. "" if the
 * header would be the client's own: all clients count as one then.
 */
export function clientAddress({ env, req }: Pick<Context<AppEnv>, "env" | "req">): string {
  const address = (env.BEHIND_CLOUDFLARE !== "no" && req.header("CF-Connecting-IP")) || "";
  // An IPv4-mapped address ends in an IPv4 address, which is all of it.
  if (!address.includes(":") || address.includes(".")) return address.replace(/^.*:/, "");
  const [head = [], tail = []] = address.split("::").map((part) =>
    part
      .split(":")
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16)),
  );
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => 0);
  const network = [...head, ...zeros, ...tail].slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}

/**
 * Limits the requests of one client, if the limiter is bound. If it fails, the request goes on, and its log line says
 * why.
 */
export const limitRequests = createMiddleware<AppEnv>(async (c, next) => {
  const { REQUESTS } = c.env;
  const outcome = await REQUESTS?.limit({ key: clientAddress(c) }).catch((error: unknown) =>
    c.set("limiterFault", error),
  );
  if (outcome?.success === false) throw new ApiError(TOO_MANY);
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
