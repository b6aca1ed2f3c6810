import { expect, test } from "vitest";
import { matchesNone, parseIfMatch } from "../../src/http/validators.ts";

test.each([
  [null, undefined],
  ["*", undefined],
  [" * ", undefined],
  ['"7"', [7]],
  ['"7", "8"', [7, 8]],
  ['W/"7", "8"', [8]],
  ['W/"7"', []],
  ['"07"', []],
  ['"7.0"', []],
  ['"7e0"', []],
  ['""', []],
  ["7", []],
  ["", []],
])("If-Match %j allows the versions %j to be changed", (header, versions) => {
  expect(parseIfMatch(header)).toEqual(versions);
});

test.each([
  [null, true],
  ["*", false],
  ['"7"', false],
  ['W/"7"', false],
  ['"6", "7"', false],
  ['"6"', true],
  ['"07"', true],
])("If-None-Match %j lets version 7 be sent: %j", (header, sent) => {
  expect(matchesNone(header, 7)).toBe(sent);
});
