import { available } from "../unavailable.ts";
import { ApiError } from "./errors.ts";

/** Seconds: the period of the limits in wrangler.toml. */
const PERIOD = "60";

/** Where the request comes from, as Cloudflare saw it; a client cannot choose it. */
export function addressOf(headers: Headers): string {
  return headers.get("CF-Connecting-IP") ?? "";
}

/** Counts one against a limit. @throws ApiError 429 where the limit is reached */
export async function enforce(limit: RateLimit, key: string): Promise<void> {
  const { success } = await available(() => limit.limit({ key }));
  if (!success) throw ApiError.general(429, { headers: { "Retry-After": PERIOD } });
}
