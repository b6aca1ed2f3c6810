import { Unavailable } from "./failures.ts";

const ATTEMPTS = 5;

/** The longest wait before the second attempt, in milliseconds. It doubles before each later one. */
const FIRST_WAIT_MS = 50;

/** The last attempt begins at most this long after the first, in milliseconds. */
const BUDGET_MS = 2000;

/** How long one call may take, in milliseconds. D1 itself gives up after 30 seconds. */
const DEADLINE_MS = 10_000;

/** How long a call may take that the answer does not need, in milliseconds. */
const SHORT_DEADLINE_MS = 500;

/** The clock between two attempts. Tests replace it: test/setup.ts. */
export const time = {
  /** In milliseconds. In a Worker, the clock stands still while code runs without waiting. */
  now: (): number => Date.now(),
  wait: async (ms: number): Promise<void> => scheduler.wait(ms),
  /** From 0 to below 1. */
  random: (): number => Math.random(),
};

class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/**
 * Makes a call, and repeats it if that may help: up to five attempts within the budget, with exponential backoff and
 * full jitter. A call that takes too long is not repeated. So the last one ends at most 12 seconds after the first
 * began.
 * @param mayHelp whether the fault may pass and the call may run twice
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

/** Calls KV, R2 or a rate limiter, whose calls may all run twice. @throws Unavailable if it fails */
export async function tryRepeatedly<T>(call: () => Promise<T>): Promise<T> {
  return withRetries(call, () => true).catch(fail);
}

/** Makes a call that the answer does not need: one attempt, of half a second by default. @throws Unavailable if it fails */
export async function tryOnce<T>(call: () => Promise<T>, ms = SHORT_DEADLINE_MS): Promise<T> {
  return withDeadline(call(), ms).catch(fail);
}

function fail(cause: unknown): never {
  throw new Unavailable("a binding failed", { cause });
}
