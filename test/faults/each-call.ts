import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "../client.ts";
import { timeFor } from "../drawn.ts";
import type { Fault, Store } from "../bindings.ts";
import { CASES, createWorld } from "./cases.ts";
import type { Case, Mode, World } from "./cases.ts";
import { LASTING } from "./catalogue.ts";
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
async function failEachCall(setup: Setup, faults: typeof LASTING): Promise<number> {
  const model = await modelOf(setup);
  const { trace } = model.once.calls;
  const plans = [...trace.entries()].flatMap(([call, store]) =>
    plansOf(call, store, faults[store], faults[store].length > 0 ? LASTING[store] : []),
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

/** The tests of one mode of access: every case, every call, every fault. */
export function testEachCall(mode: Mode, faults: typeof LASTING): void {
  const cases = CASES.filter((each) => mode === "open" || isProtected(each));
  let world: World;
  /** The request of a case, and the stores that it needs. */
  const setUp = async (each: Case): Promise<Setup> => {
    const before = each.many ? world.many : world.state;
    // A test before this one may have failed half-way.
    await restore(before, await readState());
    return { each, mode, world, before };
  };

  beforeAll(async () => {
    world = await createWorld();
  });
  beforeEach(stopTime);
  afterEach(resumeTime);

  describe("without faults a request succeeds, and once more it is answered as stated", () => {
    test.each(cases)("$name", async (each) => {
      const { once, again } = await modelOf(await setUp(each));
      expect([200, 206]).toContain((once.answer as Answer).status);
      const stated = mode === "protected" ? each.againProtected : each.again;
      expect(again.answer).toHaveProperty("status", stated);
    });
  });

  describe("whichever call fails or is never answered: a success or 503, whole stores, and a retry is answered rightly", () => {
    test.each(cases)(
      "$name",
      async (each) => {
        const runs = await failEachCall(await setUp(each), faults);
        expect(runs).toBeGreaterThan(0);
      },
      timeFor(MOST_CALLS * Math.max(...Object.values(faults).map(({ length }) => length))),
    );
  });
}
