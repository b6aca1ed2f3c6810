/**
 * Runs every operation in open access, and those that need a credential with a session in protected access. Each of
 * its calls to D1, KV, R2, the rate limiters and the clock fails in turn, in every way of the catalogue. Only the
 * service itself makes random choices, so a failure names the case, the call and the fault, and every run repeats it.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "../client.ts";
import { timeFor } from "../drawn.ts";
import type { Fault, Store } from "../bindings.ts";
import { CASES, createWorld } from "./cases.ts";
import type { Case, Mode, World } from "./cases.ts";
import { FAULTS, LASTING } from "./catalogue.ts";
import { checkFaulty, isProtected, modelOf, resumeTime, stopTime } from "./run.ts";
import type { FaultOf, Setup } from "./run.ts";
import { readState, restore } from "./state.ts";

/**
 * Each fault at one call. What lasts, at that call and all that follow to the same store. And the first of these, with
 * every call to any store that follows.
 */
function plansOf(call: number, store: Store, faults: readonly Fault[], lasting: readonly Fault[]) {
  const plan = (
    fault: Fault,
    during: string,
    later: (of: Store) => Fault | undefined,
  ): readonly [name: string, faultOf: FaultOf] => [
    `call ${call} to ${store}${during}: ${JSON.stringify(fault)}`,
    (number, of) => (number === call ? fault : number > call ? later(of) : undefined),
  ];
  return [
    ...faults.map((fault) => plan(fault, "", () => undefined)),
    ...lasting.map((fault) =>
      plan(fault, " and those that follow", (of) => (of === store ? fault : undefined)),
    ),
    ...lasting.slice(0, 1).map((fault) => plan(fault, " and all calls", (of) => LASTING[of][0])),
  ];
}

/**
 * Fails the first call of a request, then the second, and so on until a run is free of faults.
 * @returns how many runs met faults
 */
async function failEachCall(setup: Setup): Promise<number> {
  const model = await modelOf(setup);
  const { trace } = model.once.calls;
  const plans = [...trace.entries()].flatMap(([call, store]) =>
    plansOf(call, store, FAULTS[store], LASTING[store]),
  );
  const beyond: Fault = { when: "before", message: "there is no such call" };
  for (const [name, faultOf] of [...plans, ...plansOf(trace.length, "D1", [beyond], [])]) {
    try {
      const { after, calls } = await checkFaulty(setup, model, faultOf);
      await restore(setup.before, after);
      expect(calls.met.length > 0).toBe(!name.includes(beyond.message));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : "";
      throw new Error(`${setup.each.name}, ${name}: ${message}`, { cause });
    }
  }
  return plans.length;
}

/** How many calls a request makes, about, at most: for limits of time. */
const MOST_CALLS = 5;

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
beforeEach(stopTime);
afterEach(resumeTime);

/** The request of a case, and the stores that it needs. */
async function setUp(each: Case, mode: Mode): Promise<Setup> {
  const before = each.many ? world.many : world.state;
  // A test before this one may have failed half-way.
  await restore(before, await readState());
  return { each, mode, world, before };
}

describe.each<Mode>(["open", "protected"])("in %s access", (mode) => {
  const cases = CASES.filter((each) => mode === "open" || isProtected(each));

  describe("without faults a request succeeds, and once more it is answered as stated", () => {
    test.each(cases)("$name", async (each) => {
      const { once, again } = await modelOf(await setUp(each, mode));
      expect([200, 206]).toContain((once.answer as Answer).status);
      const stated = mode === "protected" ? each.againProtected : each.again;
      expect(again.answer).toHaveProperty("status", stated);
    });
  });

  describe("whichever call fails or is never answered: a success or 503, whole stores, and a retry is answered rightly", () => {
    test.each(cases)(
      "$name",
      async (each) => {
        const runs = await failEachCall(await setUp(each, mode));
        expect(runs).toBeGreaterThan(0);
      },
      timeFor(MOST_CALLS * Math.max(...Object.values(FAULTS).map(({ length }) => length))),
    );
  });
});
