import { expect, test } from "vitest";
import { readPreconditions, readTagPreconditions, statusOfRead } from "../../src/http/etag.ts";

test.each([
  [null, "any"],
  ["*", "any"],
  [" * ", "any"],
  ["*, *", "any"],
  ['*, "7"', [7]],
  ['"7"', [7]],
  ['"7", "8"', [7, 8]],
  ['"7","8"', [7, 8]],
  [', "7",,  \t"8" ,', [7, 8]],
  ['"6,7", "8"', [8]],
  ['"6 7"', []],
  ['W/"7", "7"', [7]],
  ['W/"7", "8"', [8]],
  ['W/"7"', []],
  ['"*"', []],
  ['"any"', []],
  ['"07"', []],
  ['"7.0"', []],
  ['"7e0"', []],
  ['""', []],
  ["7", []],
  [",", []],
  ["", []],
])("If-Match %j allows the versions %j", (header, allowed) => {
  const headers = new Headers(header === null ? {} : { "If-Match": header });
  expect(readPreconditions(headers)).toEqual({ allowed, excluded: [] });
});

test.each([
  [null, []],
  ["*", "any"],
  ["*, *", "any"],
  ['"7"', [7]],
  ['W/"7"', [7]],
  ['"6", W/"7"', [6, 7]],
  ['"07"', []],
  ["", []],
])("If-None-Match %j excludes the versions %j", (header, excluded) => {
  const headers = new Headers(header === null ? {} : { "If-None-Match": header });
  expect(readPreconditions(headers)).toEqual({ allowed: "any", excluded });
});

test.each<[string | undefined, string | undefined, number]>([
  [undefined, undefined, 200],
  ['"7"', undefined, 200],
  ['"6"', undefined, 412],
  [undefined, '"6"', 200],
  [undefined, '"7"', 304],
  ['"7"', '"7"', 304],
  ['"7"', '"6"', 200],
  // If-Match is looked at first (RFC 9110 §13.2.2).
  ['"6"', '"7"', 412],
  ["*", "*", 304],
])(
  "If-Match %j with If-None-Match %j answers a read of version 7 with %i",
  (match, none, status) => {
    const headers = new Headers();
    if (match !== undefined) headers.set("If-Match", match);
    if (none !== undefined) headers.set("If-None-Match", none);
    expect(statusOfRead(readPreconditions(headers), 7)).toBe(status);
  },
);

test.each([
  ["If-Match", '"a", W/"b"', { allowed: ["a"], excluded: [] }],
  ["If-Match", "*", { allowed: "any", excluded: [] }],
  ["If-Match", "", { allowed: [], excluded: [] }],
  ["If-None-Match", '"a", W/"b"', { allowed: "any", excluded: ["a", "b"] }],
  ["If-None-Match", '"a,b", ",", W/"W/", ""', { allowed: "any", excluded: ["a,b", ",", "W/", ""] }],
  ["If-None-Match", 'garbage, "unterminated, W/', { allowed: "any", excluded: [] }],
])("%s %j names tags of any form: %j", (name, header, named) => {
  expect(readTagPreconditions(new Headers({ [name]: header }))).toEqual(named);
});
