import type { Context } from "hono";
import type { App } from "../env.ts";
import { Unavailable, available } from "../unavailable.ts";
import { ApiError } from "./errors.ts";
import { faultOf } from "./record.ts";

/** Seconds: the period of the limits in wrangler.toml. */
const PERIOD = "60";

/** What becomes of a request that a limiter could not count. */
type OnFault = (fault: Unavailable) => void;

/** It is refused with 503: whoever breaks the limiter must not be able to guess on. */
const refuse: OnFault = (fault) => {
  throw fault;
};

/** It is let in, and its line of the log says why: a limiter that fails must not take the service with it. */
export const letIn =
  (c: Context<App>): OnFault =>
  (fault) =>
    c.set("uncounted", faultOf(fault));

/**
 * Counts one against a limit.
 * @throws ApiError 429 where the limit is reached
 */
export async function enforce(
  limit: RateLimit,
  key: string,
  onFault: OnFault = refuse,
): Promise<void> {
  const counted = await available(() => limit.limit({ key })).catch((fault: unknown) => {
    if (!(fault instanceof Unavailable)) throw fault;
    onFault(fault);
  });
  if (counted?.success === false) {
    throw ApiError.general(429, { headers: { "Retry-After": PERIOD } });
  }
}
