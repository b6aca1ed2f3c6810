const ATTEMPTS = 3;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;

/** The service cannot answer now: a store failed, or a setting is missing. Answered with 503. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/**
 * Awaits a call, and makes it anew, up to two times and after a wait with jitter, where that may help.
 * @param mayHelp whether the fault is one that passes, and the call one that may be made twice
 * @throws what the last call threw
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  mayHelp: (fault: unknown) => boolean,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await call();
    } catch (fault) {
      if (retry === ATTEMPTS - 1 || !mayHelp(fault)) throw fault;
      await scheduler.wait(Math.random() * Math.min(FIRST_WAIT_MS * 2 ** retry, LONGEST_WAIT_MS));
    }
  }
}

/**
 * Awaits a call to a store of objects, KV or R2: all that we ask of them may be asked twice.
 * @throws Unavailable where it fails
 */
export async function available<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await withRetries(call, () => true);
  } catch (cause) {
    throw new Unavailable("a store failed", { cause });
  }
}
