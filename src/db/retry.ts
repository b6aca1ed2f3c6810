/** How often a call is made, at most. */
export const ATTEMPTS = 5;

/** The longest wait before the second attempt, in milliseconds. It doubles before each later one. */
const FIRST_WAIT_MS = 50;

/** A call to a binding failed, or a setting is missing. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** What D1, KV, R2 and Durable Objects throw where a second attempt may help, by their documentation. */
const TRANSIENT =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|^KV .* failed: (?:429|5\d\d)|\((?:10001|10043|10058)\)/;

/** An error and its causes: Drizzle wraps what D1 throws, and `retry` what a call throws. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}

/**
 * Calls a binding: again after transient faults, if the call is safe to repeat.
 * @param attempts 1 if it is not
 * @throws Unavailable if it fails. The cause may be a bug of ours, such as wrong SQL
 */
export async function retry<T>(call: () => PromiseLike<T>, attempts = ATTEMPTS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isTransient = causesOf(error).some(({ message }) => TRANSIENT.test(message));
      if (attempt === attempts || !isTransient) {
        throw new Unavailable("a call to a binding failed", { cause: error });
      }
      // Full jitter, so that clients that failed together do not come back together.
      await scheduler.wait(Math.random() * FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  }
}
