// All random choices of the tests. They begin at one seed: a fixed one in CI, else a new one for each run, which the run
// prints first. `SEED=<number> npm test -- <file>` makes the same choices again.
import { env } from "cloudflare:workers";
import * as fc from "fast-check";

/** How often a property is tried: so many times in `npm run test:all`, else a tenth of it. */
export const tries = (all: number): number => (env.ALL ? all : Math.ceil(all / 10));

/** The parameters of fast-check for a property that is tried so many times. */
export const drawn = (numRuns: number) => ({ numRuns, seed: env.SEED });

/** On a machine that does nothing else a run takes a tenth of it, or less. */
const MS_PER_RUN = 3000;

/** How long a test of so many runs may take, in milliseconds. It ends what hangs, and measures nothing. */
export const timeFor = (runs: number): number => Math.max(runs, 10) * MS_PER_RUN;

interface Trials {
  readonly runs: number;
  /** Called before each. */
  readonly before?: () => Promise<void>;
}

/** Tries a property with values that are drawn, so many times. Where it fails, fast-check prints the least that does. */
export async function always<Drawn extends [unknown, ...unknown[]]>(
  arbitraries: { [Index in keyof Drawn]: fc.Arbitrary<Drawn[Index]> },
  { runs, before = async () => undefined }: Trials,
  holds: (...drawn: Drawn) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(...arbitraries, holds).beforeEach(before), drawn(runs));
}
