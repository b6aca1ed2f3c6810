import { expect, test } from "vitest";
import documentation from "../../docs/sandboxes.md?raw";
import browser from "../../e2e/browser/sandbox.spec.ts?raw";
import { RULE } from "../../openapi/manage-tools.ts";
import page from "../../site/sandboxes/page/rule.js?raw";
import { Match, SentRule } from "../../src/sandbox/rules/rules.ts";
import { listTableCodes } from "../documents/markdown.ts";
import { ACCEPTED_RULES } from "./accepted-rules.ts";

const ofMatch = (fields: readonly string[]) => fields.map((field) => `match.${field}`);

/** The fields of rules, without `used`, which only a sandbox counts, and those of `match`. */
const FIELDS = [
  ...Object.keys(SentRule.entries).filter((field) => field !== "used"),
  ...ofMatch(Object.keys(Match.pipe[1].entries)),
];

// types.check.ts of the package compares its types.
test.each<[string, readonly string[]]>([
  [
    "test/sandbox/accepted-rules.ts",
    ACCEPTED_RULES.flatMap((rule) => [...Object.keys(rule), ...ofMatch(Object.keys(rule.match ?? {}))]),
  ],
  [
    "openapi/manage-tools.ts",
    [
      ...Object.keys(RULE.properties).filter((field) => field !== "used"),
      ...ofMatch(Object.keys(RULE.properties.match.properties)),
    ],
  ],
  [
    "docs/sandboxes.md",
    [
      ...listTableCodes(documentation, "### Which requests a rule selects"),
      ...listTableCodes(documentation, "### What a rule does"),
      ...ofMatch(listTableCodes(documentation, "### Match")),
    ],
  ],
])("%s has each field of rules", (_file, fields) => {
  expect(new Set(fields)).toEqual(new Set(FIELDS));
});

/** The entry of a field in the table of the page's form, up to one of its properties. */
const entryOf = (field: string, property: string) => String.raw`^ {4}"?${field}"?: \{(?:.|\n {5,})*\b${property}:`;

test.each<[string, string, (field: string) => string]>([
  ["the form in site/sandboxes/page/rule.js", page, (field) => entryOf(field, "label")],
  [
    "the sentence in site/sandboxes/page/rule.js",
    page,
    (field) => String.raw`${entryOf(field, "words")}|^  const \{.*\b${field}\b.*\} = rule;`,
  ],
  ["e2e/browser/sandbox.spec.ts", browser, (field) => String.raw`\b${field}"?:|"${field}"`],
])("%s has each field of rules", (_file, text, patternOf) => {
  const missing = FIELDS.filter((field) => field !== "match" && !new RegExp(patternOf(field), "m").test(text));
  expect([...new Set(missing)]).toEqual([]);
});
