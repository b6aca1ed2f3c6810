/** The service cannot answer now: D1, KV or R2 failed, or a setting is missing. The answer is 503. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** A sandbox has no room for a write. The message names the limit. The answer is 507. */
export class Full extends Error {
  override readonly name = "Full";
}
