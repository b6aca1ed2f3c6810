/**
 * The service cannot handle a request: a call to D1, KV, R2, or a Durable Object failed, a setting is missing or invalid, or
 * other requests keep changing the same row. The response is 503, or 500 if a bug caused the failure.
 */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** Yields an error and its causes: Drizzle wraps the errors of D1, and `retry` wraps those of every call. */
export function* errorChain(error: unknown): Generator<Error> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}

/** Whether an error is a violation of the UNIQUE constraint on a column, such as `users.username`. */
export const isUniqueViolation = (error: unknown, column: string): boolean =>
  errorChain(error).some(({ message }) => message.includes(`UNIQUE constraint failed: ${column}`));
