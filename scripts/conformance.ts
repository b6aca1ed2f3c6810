// `npm run conformance` writes docs/conformance.md: for each rule of docs/interface.md and each claim of
// docs/security.md, the tests that name it in their titles. With --check it only fails if the page is out of date. In
// both cases it fails if no test names a rule, or if a test or a comment names a rule that does not exist.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { citedIn, namedIn, pageOf, sectionsOf } from "./conformance/page.ts";

const PAGE = "docs/conformance.md";
const read = (file: string): string => readFileSync(file, "utf8");
const find = (...patterns: string[]): string[] =>
  globSync(patterns, { exclude: ["**/node_modules/**"] })
    .map((file) => file.replaceAll("\\", "/"))
    .toSorted();

const sections = ["interface.md", "security.md"].flatMap((page) =>
  sectionsOf(page, read(`docs/${page}`)),
);
const tests = find("test/**/*.test.ts", "e2e/**/*.test.ts").map((file) => ({
  file,
  names: namedIn(read(file)),
}));

const numbers = sections.flatMap((section) => section.rules);
const rules = new Set(numbers);
const named = new Set(tests.flatMap(({ names }) => names));
const citable = new Set([...rules, ...sections.map(({ number }) => number)]);
const sources = find(
  "{src,test,e2e,scripts,bench,package}/**/*.ts",
  "migrations/*.sql",
  "{README,docs/**/*}.md",
);
const faults = [
  ...numbers
    .filter((rule, index) => numbers.indexOf(rule) !== index)
    .map((rule) => `two rules have the number §${rule}`),
  ...[...rules].filter((rule) => !named.has(rule)).map((rule) => `no test names §${rule}`),
  ...tests.flatMap(({ file, names }) =>
    names.filter((name) => !rules.has(name)).map((name) => `${file}: there is no rule §${name}`),
  ),
  ...sources.flatMap((file) =>
    citedIn(read(file))
      .filter((number) => !citable.has(number))
      .map((number) => `${file}: there is no interface §${number}`),
  ),
];
const page = pageOf(sections, tests);

if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
else if (read(PAGE) !== page) faults.push(`${PAGE} is out of date: run \`npm run conformance\``);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
}
