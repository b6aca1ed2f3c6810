/** The service cannot answer now: a store failed, or a setting is missing. Answered with 503. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** Awaits a call to a store. @throws Unavailable where it fails */
export async function available<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw new Unavailable("a store failed", { cause });
  }
}
