import { expect, test } from "vitest";
import { explain, textOf } from "../../src/sandbox/faults/explain.ts";

test.each([
  [2, "2nd"],
  [3, "3rd"],
  [4, "4th"],
  [11, "11th"],
  [21, "21st"],
])("a rule for every %i requests says every %s", (every, ordinal) => {
  expect(textOf(explain({ every, status: 503 }))).toBe(
    `The answer to every ${ordinal} request is 503.`,
  );
});
