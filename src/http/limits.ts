import { available } from "../unavailable.ts";
import { ApiError } from "./errors.ts";

/** Seconds: the period of the limits in wrangler.toml. */
const PERIOD = "60";

/** Counts one against a limit. @throws ApiError 429 where the limit is reached */
export async function enforce(limit: RateLimit, key: string): Promise<void> {
  const { success } = await available(() => limit.limit({ key }));
  if (!success) throw ApiError.general(429, { headers: { "Retry-After": PERIOD } });
}
