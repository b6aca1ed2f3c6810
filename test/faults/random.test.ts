/**
 * Random sequences of requests with random faults, each request compared with what it does without faults.
 * Where one fails, fast-check prints the shortest sequence that fails; its seed repeats it: test/drawn.ts.
 */
import * as fc from "fast-check";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { always, timeFor } from "../drawn.ts";
import type { Store } from "../bindings.ts";
import { CASES, createWorld } from "./cases.ts";
import type { World } from "./cases.ts";
import { FAULTS, FEWER_FAULTS } from "./catalogue.ts";
import { checkFaulty, modelOf, resumeTime, stopTime } from "./run.ts";
import type { FaultOf } from "./run.ts";
import { readState, restore } from "./state.ts";

const RUNS = 60;
const MOST_STEPS = 6;

const CASES_BY_NAME = new Map(CASES.map((each) => [each.name, each]));

/** D1's with fewer kinds, so that those come up which lead the service to another try. */
const DRAWN = { ...FAULTS, D1: FEWER_FAULTS.D1 };

/** A fault at a call, or at it and all that follow; `pick` chooses among those of the store that is called. */
const fault = fc.record({ call: fc.nat(6), pick: fc.nat(999), lasts: fc.boolean() });

const step = fc.record({
  name: fc.constantFrom(...CASES_BY_NAME.keys()),
  mode: fc.constantFrom("open" as const, "protected" as const),
  faults: fc.array(fault, { minLength: 1, maxLength: 3 }),
});

type PlannedFault = typeof fault extends fc.Arbitrary<infer Each> ? Each : never;

const faultOfPlan =
  (plan: readonly PlannedFault[]): FaultOf =>
  (call: number, store: Store) => {
    const met = plan.find((each) => each.call === call || (each.lasts && each.call < call));
    return met && DRAWN[store][met.pick % DRAWN[store].length];
  };

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
beforeEach(stopTime);
afterEach(resumeTime);

test(
  "whatever fails in a sequence of requests: successes or 503, whole stores, and retries are answered rightly",
  { timeout: timeFor(RUNS * MOST_STEPS) },
  async () => {
    let faultsMet = 0;
    await always(
      [fc.array(step, { minLength: 1, maxLength: MOST_STEPS })],
      { runs: RUNS },
      async (steps) => {
        let state = steps.some(({ name }) => CASES_BY_NAME.get(name)?.many)
          ? world.many
          : world.state;
        await restore(state, await readState());
        for (const { name, mode, faults } of steps) {
          const each = CASES_BY_NAME.get(name);
          if (!each) throw new Error(`no case ${name}`);
          const setup = { each, mode, world: { ...world, state }, before: state };
          const { after, calls } = await checkFaulty(
            setup,
            await modelOf(setup),
            faultOfPlan(faults),
          );
          faultsMet += calls.met.length;
          state = after;
        }
      },
    );
    expect(faultsMet).toBeGreaterThan(0);
  },
);
