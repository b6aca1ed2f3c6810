import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { time, withRetries } from "../src/platform/failures.ts";

let now = 0;
let waits: number[] = [];

/** What `time.random` gives. */
let chance = 0;

beforeEach(() => {
  [now, waits, chance] = [1_000_000, [], 0.5];
  vi.spyOn(time, "now").mockImplementation(() => now);
  vi.spyOn(time, "random").mockImplementation(() => chance);
  vi.spyOn(time, "wait").mockImplementation(async (ms) => {
    waits.push(ms);
    now += ms;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const FAULT = new Error("Network connection lost.");

/** A store that fails so many times, each after so many milliseconds. */
function failing(times: number, ms = 0) {
  const began: number[] = [];
  const call = async () => {
    began.push(now - 1_000_000);
    now += ms;
    if (began.length <= times) throw FAULT;
    return "done";
  };
  return { call, began };
}

const always = () => true;

// How often a call is made, and for which faults: test/faults.test.ts.
describe("a call to a store", () => {
  test("that failed is made again after a random wait of up to 50, 100, 200 and 400 ms §7.6.3", async () => {
    for (chance of [0, 0.25, 0.999]) {
      waits = [];
      await expect(withRetries(failing(Infinity).call, always)).rejects.toBe(FAULT);
      expect(waits).toEqual([50, 100, 200, 400].map((most) => chance * most));
    }
  });

  test("is not made again once two seconds have passed since the first §7.6.3", async () => {
    const { call, began } = failing(Infinity, 700);
    await expect(withRetries(call, always)).rejects.toBe(FAULT);
    expect(began).toEqual([0, 725, 1475]);
  });

  test("is not waited for where the wait would end after the two seconds", async () => {
    const { call, began } = failing(Infinity, 1980);
    await expect(withRetries(call, always)).rejects.toBe(FAULT);
    expect([began, waits]).toEqual([[0], []]);
    chance = 0.1;
    const sooner = failing(1, 1980);
    now = 1_000_000;
    expect(await withRetries(sooner.call, always)).toBe("done");
    expect(sooner.began).toEqual([0, 1985]);
  });

  test("that is not answered in ten seconds is given up, and not made again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let calls = 0;
    const silent = async () => {
      calls += 1;
      return new Promise<never>(() => undefined);
    };
    let given: unknown;
    void withRetries(silent, always).catch((fault: unknown) => (given = fault));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(given).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(given).toEqual(expect.objectContaining({ message: "no answer in time" }));
    expect(calls).toBe(1);
  });
});
