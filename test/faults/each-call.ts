import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { timeFor } from "../drawn.ts";
import type { Answer } from "../client.ts";
import type { Fault, Store } from "../stores.ts";
import { CASES, createWorld } from "./cases.ts";
import type { Case, Mode, World } from "./cases.ts";
import { LASTING, SILENCE } from "./catalogue.ts";
import { checkFaulty, isProtected, modelOf, resumeTime, stopTime } from "./run.ts";
import type { FaultOf } from "./run.ts";
import { readState, restore } from "./state.ts";

type Faults = (store: Store) => readonly Fault[];

interface Plan {
  readonly name: string;
  readonly faultOf: FaultOf;
}

/** Each fault at one call; and what lasts, at that call and all that follow to the same store. */
function plansOf(call: number, store: Store, faults: readonly Fault[], lasting: readonly Fault[]) {
  const plan = (fault: Fault, lasts: boolean): Plan => ({
    name: `call ${call} to ${store}${lasts ? " and those that follow" : ""}: ${JSON.stringify(fault)}`,
    faultOf: (number, of) =>
      number === call || (lasts && number > call && of === store) ? fault : undefined,
  });
  return [
    ...faults.map((fault) => plan(fault, false)),
    ...lasting.map((fault) => plan(fault, true)),
  ];
}

/**
 * Fails the first call of a request, then the second, and so on until a run is free of faults.
 * @returns how many runs met faults
 */
async function failEachCall(
  { each, mode, world }: { readonly each: Case; readonly mode: Mode; readonly world: World },
  faultsOf: Faults,
  lastingOf: Faults = () => [],
): Promise<number> {
  const before = each.many ? world.many : world.state;
  // A test before this one may have failed half-way.
  await restore(before, await readState());
  const model = await modelOf(each, mode, world, before);
  const { trace } = model.once.calls;
  const run = async ({ name, faultOf }: Plan): Promise<readonly Fault[]> => {
    try {
      const { after, calls } = await checkFaulty(each, mode, world, before, model, faultOf);
      await restore(before, after);
      return calls.met;
    } catch (cause) {
      throw new Error(`${name}: ${cause instanceof Error ? cause.message : ""}`, { cause });
    }
  };
  const plans = [...trace.entries()].flatMap(([call, store]) =>
    plansOf(call, store, faultsOf(store), lastingOf(store)),
  );
  for (const plan of plans) expect(await run(plan)).not.toEqual([]);
  const beyond: Fault = { when: "before", message: "there is no such call" };
  for (const plan of plansOf(trace.length, "D1", [beyond], [])) expect(await run(plan)).toEqual([]);
  return plans.length;
}

/** How many calls a request makes, about, at most: for limits of time. */
const MOST_CALLS = 5;

const SILENT_STORES: readonly Store[] = ["D1", "KV", "R2", "REQUESTS", "LOGINS", "LOGINS_PER_USER"];

/** The tests of one mode of access: every case, every call, every fault. */
export function testEachCall(mode: Mode, faults: Readonly<Record<Store, readonly Fault[]>>): void {
  const cases = CASES.filter((each) => mode === "open" || isProtected(each));
  let world: World;

  beforeAll(async () => {
    world = await createWorld();
  });
  beforeEach(stopTime);
  afterEach(resumeTime);

  describe("without faults a request succeeds, and once more it is answered as stated", () => {
    test.each(cases)("$name", async (each) => {
      const before = each.many ? world.many : world.state;
      await restore(before, await readState());
      const { once, again } = await modelOf(each, mode, world, before);
      expect([200, 206]).toContain((once.answer as Answer).status);
      const stated = mode === "protected" ? (each.againProtected ?? each.again) : each.again;
      expect(again.answer).toHaveProperty("status", stated);
    });
  });

  describe("whichever call fails: a success or 503, whole stores, and a retry is answered rightly", () => {
    test.each(cases)(
      "$name",
      async (each) => {
        const runs = await failEachCall(
          { each, mode, world },
          (store) => faults[store],
          (store) => (faults[store].length > 0 ? LASTING[store] : []),
        );
        expect(runs).toBeGreaterThan(0);
      },
      timeFor(MOST_CALLS * Math.max(...Object.values(faults).map(({ length }) => length))),
    );
  });

  describe("whichever call is never answered: a success or 503, whole stores, and a retry is answered rightly", () => {
    test.each(SILENT_STORES.filter((store) => faults[store].length > 0))(
      "by %s",
      async (silent) => {
        let runs = 0;
        for (const each of cases) {
          try {
            runs += await failEachCall({ each, mode, world }, (store) =>
              store === silent ? SILENCE : [],
            );
          } catch (cause) {
            throw new Error(`${each.name}, ${cause instanceof Error ? cause.message : ""}`, {
              cause,
            });
          }
        }
        expect(runs).toBeGreaterThan(0);
      },
      timeFor(MOST_CALLS * cases.length * SILENCE.length),
    );
  });
}
