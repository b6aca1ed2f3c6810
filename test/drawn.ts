// All random choices of the tests. They come from one seed, which is fixed. `SEED=random npm test` draws another one and
// prints it first: `SEED=<number> npm test -- <file>` repeats its choices.
import { env } from "cloudflare:workers";
import * as fc from "fast-check";

/** How often a property is tried: this many times in `npm test -- --mode all`, and otherwise a tenth of that. */
export const tries = (all: number): number => (env.ALL ? all : Math.ceil(all / 10));

/** Parameters of fast-check for this many tries. */
export const drawn = (numRuns: number) => ({ numRuns, seed: env.SEED });

/** The time limit of a test with this many runs, in milliseconds. It only ends tests that hang: a run takes 0.3 s. */
export const timeFor = (runs: number): number => Math.max(runs, 12) * 10_000;

interface Trials {
  readonly runs: number;
  /** Called before each. */
  readonly before?: () => Promise<void>;
}

/** Tries a property with random values. If it fails, fast-check prints the smallest failing ones. */
export async function always<Drawn extends [unknown, ...unknown[]]>(
  arbitraries: { [Index in keyof Drawn]: fc.Arbitrary<Drawn[Index]> },
  { runs, before = async () => undefined }: Trials,
  holds: (...drawn: Drawn) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(...arbitraries, holds).beforeEach(before), drawn(runs));
}
