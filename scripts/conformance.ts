// `npm run conformance` prints, for each rule of docs/interface.md and each claim of docs/security.md, the files whose
// tests name it in their titles, with the number of tests if it is above one. It fails if no test names a rule, or if a
// test or a comment names a rule that does not exist. With --check it prints only what is wrong.
import { globSync, readFileSync } from "node:fs";

/** A heading, or the start of a rule: its number in bold, which may be in the first cell of a row. */
const HEADING_OR_RULE = /^(?:##+ (?<heading>.+)|(?:\| )?\*\*(?<rule>[A-Z]*\d+(?:\.\d+)*)\*\* )/gm;

/** A literal that ends with numbers of rules. */
const TITLE = /(["'`])(?:(?!\1)[^\\\n]|\\.)*?(?<names>(?: §[A-Z]*\d+(?:\.\d+)*)+)\1/g;

const read = (file: string): string => readFileSync(file, "utf8");
const find = (...patterns: string[]): string[] =>
  globSync(patterns, { exclude: ["**/node_modules/**"] })
    .map((file) => file.replaceAll("\\", "/"))
    .toSorted();

/** A heading of a page, with the rules below it. */
interface Section {
  /** Such as `3.4`; empty if the heading has none. */
  readonly number: string;
  readonly title: string;
  readonly rules: readonly string[];
}

/** The headings of a page. A heading such as "3.6 GET /pet/{petId}" without rules below it is a rule itself. */
function sectionsOf(page: string): Section[] {
  const sections: (Section & { readonly rules: string[] })[] = [];
  for (const { groups = {} } of read(page).matchAll(HEADING_OR_RULE)) {
    const { heading: title, rule } = groups;
    if (rule !== undefined) sections.at(-1)?.rules.push(rule);
    if (title === undefined) continue;
    sections.push({ number: /^\d+(?:\.\d+)?/.exec(title)?.[0] ?? "", title, rules: [] });
  }
  for (const { number, rules } of sections) {
    if (rules.length === 0 && number.includes(".")) rules.push(number);
  }
  return sections;
}

const sections = ["docs/interface.md", "docs/security.md"].flatMap(sectionsOf);
const numbers = sections.flatMap(({ rules }) => rules);
const rules = new Set(numbers);
const citable = new Set([...rules, ...sections.map(({ number }) => number)]);

/** For each rule, how many titles of each file name it. */
const tests = new Map(numbers.map((rule) => [rule, new Map<string, number>()]));
const faults = numbers
  .filter((rule, index) => numbers.indexOf(rule) !== index)
  .map((rule) => `two rules have the number §${rule}`);

for (const file of find("test/**/*.test.ts", "e2e/**/*.test.ts")) {
  for (const { groups } of read(file).matchAll(TITLE)) {
    for (const rule of groups?.["names"]?.split(" §").slice(1) ?? []) {
      const counts = tests.get(rule);
      counts?.set(file, (counts.get(file) ?? 0) + 1);
      if (!counts) faults.push(`${file}: there is no rule §${rule}`);
    }
  }
}
for (const [rule, counts] of tests) if (counts.size === 0) faults.push(`no test names §${rule}`);

for (const file of find(
  "{src,test,e2e,scripts,bench,package}/**/*.ts",
  "migrations/*.sql",
  "{README,docs/**/*}.md",
)) {
  for (const [, number = ""] of read(file).matchAll(/\binterface §(\d+(?:\.\d+)*)/g)) {
    if (!citable.has(number)) faults.push(`${file}: there is no interface §${number}`);
  }
}

if (!process.argv.includes("--check")) {
  for (const section of sections.filter((each) => each.rules.length > 0)) {
    console.log(`\n${section.title}`);
    for (const rule of section.rules) {
      const files = Array.from(tests.get(rule) ?? [], ([file, count]) =>
        count > 1 ? `${file} (${count})` : file,
      );
      console.log(`  §${rule}  ${files.join(", ")}`);
    }
  }
}
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
}
