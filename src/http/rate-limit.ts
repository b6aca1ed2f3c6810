import type { Context } from "hono";
import type { App } from "./context.ts";
import { Unavailable } from "../failures.ts";
import { tryRepeatedly, tryOnce } from "../retries.ts";
import { ApiError, retryAfter } from "./errors.ts";
import { faultOf } from "./record.ts";

/**
 * Counts an attempt that must not happen too often. If the limiter fails, the attempt is 503, so that a client cannot
 * continue to guess by breaking the limiter.
 * @throws ApiError 429 if the limit is reached; Unavailable
 */
export async function enforce(limit: RateLimit, key: string): Promise<void> {
  refuseBeyond(await tryRepeatedly(async () => limit.limit({ key })));
}

/**
 * Counts a request of a client. If the limiter fails, the request goes through, so that the service stays up. The log
 * line says why, and the service does not call the limiter again for this request.
 * @throws ApiError 429 if the limit is reached
 */
export async function countRequest(
  c: Context<App>,
  requests: RateLimit,
  key: string,
): Promise<void> {
  if (c.get("uncounted")) return;
  try {
    refuseBeyond(await tryOnce(async () => requests.limit({ key })));
  } catch (fault) {
    if (!(fault instanceof Unavailable)) throw fault;
    c.set("uncounted", faultOf(fault));
  }
}

function refuseBeyond({ success }: RateLimitOutcome): void {
  if (!success) throw ApiError.general(429, { headers: retryAfter(429) });
}
