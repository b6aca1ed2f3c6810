/** The service cannot answer now: D1, KV or R2 failed, or a setting is missing. The answer is 503. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** The sandbox ended while a request was handled: nothing is left of what the request wrote. */
export class Gone extends Unavailable {}

/** A sandbox has no room for a write. The message names the limit. The answer is 507. */
export class Full extends Error {
  override readonly name = "Full";
}

const ATTEMPTS = 5;

/** The longest wait before the second attempt, in milliseconds. It doubles before each later one. */
const FIRST_WAIT_MS = 50;

/** The last attempt begins at most this long after the first, in milliseconds. */
const BUDGET_MS = 2000;

/** How long one call may take, in milliseconds. D1 itself gives up after 30 seconds. */
const DEADLINE_MS = 10_000;

/** The same for a call that the answer does not depend on. */
const SHORT_DEADLINE_MS = 500;

/** The clock between two attempts. Tests replace it: test/setup.ts. */
export const time = {
  /** In milliseconds. In a Worker, the clock advances only while code waits. */
  now: (): number => Date.now(),
  wait: async (ms: number): Promise<void> => scheduler.wait(ms),
  /** From 0 to below 1. */
  random: (): number => Math.random(),
};

class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/**
 * Makes a call, and retries it if that may help: at most five attempts, with exponential backoff and full jitter. A call
 * that times out is not retried, so all attempts together take at most 12 seconds.
 * @param mayHelp whether the fault is transient and the call is safe to repeat
 * @throws what the last call threw
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  mayHelp: (fault: unknown) => boolean,
): Promise<T> {
  const began = time.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await withDeadline(call(), DEADLINE_MS);
    } catch (fault) {
      if (attempt === ATTEMPTS || fault instanceof TimedOut || !mayHelp(fault)) throw fault;
      const wait = time.random() * FIRST_WAIT_MS * 2 ** (attempt - 1);
      if (time.now() - began + wait > BUDGET_MS) throw fault;
      await time.wait(wait);
    }
  }
}

async function withDeadline<T>(call: Promise<T>, ms: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new TimedOut("no answer in time")), ms);
  call.then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Calls KV, R2 or a rate limiter, and retries: a second call is always safe. @throws Unavailable if it fails */
export async function tryRepeatedly<T>(call: () => Promise<T>): Promise<T> {
  return withRetries(call, () => true).catch(fail);
}

/** Makes a call that the answer does not depend on. It is tried once, for half a second by default. @throws Unavailable */
export async function tryOnce<T>(call: () => Promise<T>, ms = SHORT_DEADLINE_MS): Promise<T> {
  return withDeadline(call(), ms).catch(fail);
}

function fail(cause: unknown): never {
  throw new Unavailable("a binding failed", { cause });
}
