const ATTEMPTS = 5;

/** Before the second attempt, at most; twice as long before each that follows: 50, 100, 200, 400 ms. */
const FIRST_WAIT_MS = 50;

/** Since the first attempt began: no other begins later, in milliseconds. */
const BUDGET_MS = 2000;

/** How long one call to a store may take, in milliseconds. D1 itself gives up after 30 seconds. */
const DEADLINE_MS = 10_000;

/** The same for a call that the answer can do without, in milliseconds. */
const SHORT_DEADLINE_MS = 500;

/** The clock between two attempts. Tests replace it: test/setup.ts. */
export const time = {
  /** In milliseconds. In a Worker it stops while the code does not wait. */
  now: (): number => Date.now(),
  wait: async (ms: number): Promise<void> => scheduler.wait(ms),
  /** From 0 to below 1. */
  random: (): number => Math.random(),
};

/** The service cannot answer now: a store failed, or a setting is missing. Answered with 503. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** A store has no room for what a request wants to write. Answered with 507. */
export class Full extends Error {
  override readonly name = "Full";
}

class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/**
 * Calls a store, and again if that may help: up to five times within the budget, with exponential backoff and full
 * jitter. A call that takes too long is given up and not repeated. So the last call ends at most 12 seconds after the
 * first began.
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

/**
 * Calls a store of objects, KV or R2, or a rate limiter: all these calls may run twice. Attempts, waits and budget
 * are those of D1: faults pass as fast, and a request waits no longer for one store than for another.
 * @throws Unavailable where it fails
 */
export async function tryRepeatedly<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await withRetries(call, () => true);
  } catch (cause) {
    throw new Unavailable("a store failed", { cause });
  }
}

/**
 * The same for a call that the answer does not need: one attempt, and half a second.
 * @throws Unavailable where it fails
 */
export async function tryOnce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await withDeadline(call(), SHORT_DEADLINE_MS);
  } catch (cause) {
    throw new Unavailable("a store failed", { cause });
  }
}
