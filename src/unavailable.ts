const ATTEMPTS = 3;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;

/** How long one call to a store may take, in milliseconds. D1 itself gives up after 30 seconds. */
const DEADLINE_MS = 10_000;

/** The service cannot answer now: a store failed, or a setting is missing. Answered with 503. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/**
 * Calls a store, and calls it anew, up to two times and after a wait with jitter, where that may help. A call that
 * takes too long is given up, and not made again.
 * @param mayHelp whether the fault is one that passes, and the call one that may be made twice
 * @throws what the last call threw
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  mayHelp: (fault: unknown) => boolean,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await withDeadline(call());
    } catch (fault) {
      if (retry === ATTEMPTS - 1 || fault instanceof TimedOut || !mayHelp(fault)) throw fault;
      await scheduler.wait(Math.random() * Math.min(FIRST_WAIT_MS * 2 ** retry, LONGEST_WAIT_MS));
    }
  }
}

async function withDeadline<T>(call: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new TimedOut("no answer in time")), DEADLINE_MS);
  call.then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls a store of objects, KV or R2, or a rate limiter: all that we ask of them may be asked twice.
 * @throws Unavailable where it fails
 */
export async function available<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await withRetries(call, () => true);
  } catch (cause) {
    throw new Unavailable("a store failed", { cause });
  }
}
