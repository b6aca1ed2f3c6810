/**
 * Runs every operation in open access. Each of its calls to D1, KV, R2, the rate limiters and the clock fails in turn,
 * in every way of the catalogue. Only the service itself makes random choices, so a failure names the case, the call
 * and the fault, and every run repeats it.
 */
import { expect, test } from "vitest";
import { operations } from "../operations.ts";
import { CASES } from "./cases.ts";
import { FAULTS } from "./catalogue.ts";
import { testEachCall } from "./each-call.ts";

testEachCall("open", FAULTS);

test("every operation has a case", () => {
  const tried = new Set(CASES.map(({ operation }) => operation));
  expect([...tried].toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});
