/**
 * Runs every operation in open access. Each of its calls to D1, KV, R2, the rate limiters and the clock fails in turn,
 * in every way of the catalogue. Only the service itself makes random choices, so a failure names the case, the call
 * and the fault, and every run repeats it.
 */
import { describe, expect, test } from "vitest";
import { clientWith } from "../fixtures.ts";
import { operations } from "../operations.ts";
import { Calls, databaseThrough } from "../stores.ts";
import { CASES } from "./cases.ts";
import { D1_ERRORS, FAULTS } from "./catalogue.ts";
import { testEachCall } from "./each-call.ts";

testEachCall("open", FAULTS);

test("every operation has a case", () => {
  const tried = new Set(CASES.map(({ operation }) => operation));
  expect([...tried].toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

describe("an error that D1's documentation asks to retry does not show at a read", () => {
  test.each(D1_ERRORS.filter(({ retry }) => retry))("$message", async ({ message }) => {
    const d1 = new Calls((call) =>
      call === 0 ? { when: "before", message: `D1_ERROR: ${message}` } : undefined,
    );
    const answer = await clientWith(databaseThrough(d1))("GET", "/store/inventory");
    expect(answer.status).toBe(200);
    expect(d1.count).toBe(2);
  });
});
