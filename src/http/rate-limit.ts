import { Unavailable, tryOnce, tryRepeatedly } from "../platform/failures.ts";
import { ApiError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { faultOf } from "./log.ts";

/**
 * Counts an attempt that is limited, such as a login.
 * @throws ApiError 429 if the limit is reached; Unavailable if the limiter fails, so that attempts are never unlimited
 */
export async function enforce(limit: RateLimit, key: string): Promise<void> {
  refuseBeyond(await tryRepeatedly(async () => limit.limit({ key })));
}

/**
 * Counts a request. If the limiter fails, the request goes on and is not counted again, and its log line says why.
 * @throws ApiError 429 if the limit is reached
 */
export async function countRequest(
  exchange: Exchange,
  requests: RateLimit,
  key: string,
): Promise<void> {
  if (exchange.uncounted) return;
  try {
    refuseBeyond(await tryOnce(async () => requests.limit({ key })));
  } catch (fault) {
    if (!(fault instanceof Unavailable)) throw fault;
    exchange.uncounted = faultOf(fault);
  }
}

function refuseBeyond({ success }: RateLimitOutcome): void {
  if (!success) throw ApiError.general("tooMany");
}
