import { expect, test } from "vitest";
import documentation from "../../docs/sandboxes.md?raw";
import browser from "../../e2e/browser/sandbox.spec.ts?raw";
import tools from "../../openapi/manage-tools.ts?raw";
import types from "../../package/types.ts?raw";
import form from "../../site/sandboxes/page/fields.js?raw";
import words from "../../site/sandboxes/page/rule.js?raw";
import { Match, SentRule } from "../../src/sandbox/rules/rules.ts";
import accepted from "./rules.test.ts?raw";

/** The fields of rules, without `used`, which only a sandbox counts, and those of `match`. */
const FIELDS = [
  ...Object.keys(SentRule.entries).filter((field) => field !== "used" && field !== "match"),
  ...Object.keys(Match.pipe[1].entries).map((field) => `match.${field}`),
];

const nameOf = (field: string) => field.replace("match.", "");

test.each<[string, string, (field: string) => string]>([
  ["test/sandbox/rules.test.ts", accepted, (field) => String.raw`\b${nameOf(field)}:`],
  ["openapi/manage-tools.ts", tools, (field) => String.raw`^ +${nameOf(field)}: `],
  ["package/types.ts", types, (field) => String.raw`readonly ${nameOf(field)}\?:`],
  ["docs/sandboxes.md", documentation, (field) => String.raw`^\| \`${nameOf(field)}\``],
  ["site/sandboxes/page/fields.js", form, (field) => `"${field}"`],
  ["site/sandboxes/page/rule.js", words, (field) => String.raw`^ {2}(?:const \{.*)?\b${nameOf(field)}\b`],
  ["e2e/browser/sandbox.spec.ts", browser, (field) => String.raw`\b${field}"?:|"${field}"`],
])("%s has each field of rules", (_file, text, patternOf) => {
  expect(FIELDS.length).toBeGreaterThan(15);
  const missing = FIELDS.filter((field) => !new RegExp(patternOf(field), "m").test(text));
  expect([...new Set(missing)]).toEqual([]);
});
