/** A rate limiter that records its calls, and lets this many through for each key. */
export class CountingLimit implements RateLimit {
  /** What was counted, in order. */
  readonly keys: string[] = [];
  readonly #most: number;

  constructor(most = Infinity) {
    this.#most = most;
  }

  async limit({ key }: RateLimitOptions): Promise<RateLimitOutcome> {
    this.keys.push(key);
    return { success: this.countOf(key) <= this.#most };
  }

  countOf(key: string): number {
    return this.keys.filter((other) => other === key).length;
  }
}
