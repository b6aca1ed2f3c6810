import { ApiError } from "./errors.ts";

/** How often a call is made, at most. */
export const ATTEMPTS = 5;

/** The longest wait before the second attempt, in milliseconds. It doubles before each later one. */
const FIRST_WAIT_MS = 50;

/** D1, KV or R2 failed. The answer is 503. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** What D1, KV, R2 and Durable Objects throw where a second attempt may help, by their documentation. */
const TRANSIENT =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|^KV .* failed: (?:429|5\d\d)|\((?:10001|10043|10058)\)/;

/** The messages of an error and of its causes: Drizzle wraps what D1 throws. */
export function* messagesOf(error: unknown): Generator<string> {
  for (let each = error; each instanceof Error; each = each.cause) yield each.message;
}

/**
 * Makes a call that is safe to repeat: up to five attempts, after transient faults only.
 * @throws Unavailable if it fails
 */
export async function retry<T>(call: () => PromiseLike<T>, attempts = ATTEMPTS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      // A binding of a sandbox refuses what is beyond its limits.
      if (error instanceof ApiError) throw error;
      const isTransient = messagesOf(error).some((message) => TRANSIENT.test(message));
      if (attempt === attempts || !isTransient) {
        throw new Unavailable("a binding failed", { cause: error });
      }
      // Full jitter, so that clients that failed together do not come back together.
      await scheduler.wait(Math.random() * FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  }
}
