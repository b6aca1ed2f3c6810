import { Unavailable, errorChain } from "./errors.ts";

/** The maximum number of attempts. */
export const ATTEMPTS = 5;

/** The longest wait before the second attempt, in milliseconds. It doubles before each later attempt. */
const FIRST_WAIT_MS = 50;

/** Errors of D1, KV, R2, and Durable Objects that Cloudflare documents as worth retrying. */
const TRANSIENT =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|^KV .* failed: (?:429|5\d\d)|\((?:10001|10043|10058)\)/;

/**
 * Calls a backing service, and repeats the call after a transient error.
 * @param attempts 1 if the call is not safe to repeat
 * @throws Unavailable if the call fails; its cause may be a bug, such as invalid SQL
 */
export async function retry<T>(call: () => PromiseLike<T>, attempts = ATTEMPTS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isTransient = errorChain(error).some(({ message }) => TRANSIENT.test(message));
      if (attempt === attempts || !isTransient) {
        throw new Unavailable("a call to a backing service failed", { cause: error });
      }
      // Full jitter, so that clients that failed at the same time do not retry at the same time.
      await scheduler.wait(Math.random() * FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  }
}
