/** A heading of a page, with the rules that stand below it. */
export interface Section {
  readonly page: string;
  /** As in `3.4`; empty where the heading has none. */
  readonly number: string;
  readonly title: string;
  /** The anchor that GitHub gives the heading. */
  readonly anchor: string;
  readonly rules: readonly string[];
}

/** A file of tests. */
export interface Tests {
  readonly file: string;
  /** The rules that its titles name, once for each title. */
  readonly names: readonly string[];
}

/** A heading, or what begins a rule: its number in bold, which may be in the first cell of a row. */
const HEADING_OR_RULE = /^(?:##+ (?<heading>.+)|(?:\| )?\*\*(?<rule>[A-Z]*\d+(?:\.\d+)*)\*\* )/gm;

/** A literal that ends with numbers of rules. */
const TITLE = /(["'`])(?:(?!\1)[^\\\n]|\\.)*?(?<names>(?: §[A-Z]*\d+(?:\.\d+)*)+)\1/g;

/** The headings of a page. A heading such as "3.6 GET /pet/{petId}" without rules below it is a rule itself. */
export function sectionsOf(page: string, text: string): Section[] {
  const sections: (Section & { readonly rules: string[] })[] = [];
  for (const { groups = {} } of text.matchAll(HEADING_OR_RULE)) {
    const { heading, rule } = groups;
    if (rule !== undefined) sections.at(-1)?.rules.push(rule);
    if (heading === undefined) continue;
    const number = /^\d+(?:\.\d+)?/.exec(heading)?.[0] ?? "";
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-");
    sections.push({ page, number, title: heading, anchor, rules: [] });
  }
  for (const { number, rules } of sections) {
    if (rules.length === 0 && number.includes(".")) rules.push(number);
  }
  return sections;
}

/** The rules that titles of tests name in a source, once for each title. */
export function namedIn(source: string): string[] {
  return [...source.matchAll(TITLE)].flatMap(({ groups }) =>
    (groups?.["names"] ?? "").split(" §").slice(1),
  );
}

/** The sections and rules of the interface that a text cites. */
export function citedIn(text: string): string[] {
  return [...text.matchAll(/\binterface §(\d+(?:\.\d+)*)/g)].map(([, number = ""]) => number);
}

const labelOf = (file: string): string => file.replace(/^test\//, "").replace(".test.ts", "");

/** The page that lists the tests of each rule. */
export function pageOf(sections: readonly Section[], tests: readonly Tests[]): string {
  const testsOf = (rule: string): string =>
    tests
      .map(({ file, names }) => ({ file, count: names.filter((name) => name === rule).length }))
      .filter(({ count }) => count > 0)
      .map(({ file, count }) => `[${labelOf(file)}]${count > 1 ? ` (${count})` : ""}`)
      .join(", ");
  const lists = sections
    .filter(({ rules }) => rules.length > 0)
    .map(({ page, title, anchor, rules }) =>
      [
        `## [${title}](${page}#${anchor})\n`,
        ...rules.map((rule) => `- **${rule}** ${testsOf(rule)}`),
      ].join("\n"),
    );
  const files = tests
    .filter(({ names }) => names.length > 0)
    .map(({ file }) => `[${labelOf(file)}]: ../${file}`);
  const end = "<!-- prettier-ignore-end -->\n";
  return [INTRODUCTION, ...lists, files.join("\n"), end].join("\n\n");
}

const INTRODUCTION = `# Conformance

For each rule of [the interface](interface.md) and each claim of [security.md](security.md), this page has the files of
its tests, with their number if it is above one. A test names its rules in its title:

    git grep "§3.4.2" -- test e2e    # shows the tests of a rule
    npm test -- -t "§3.4.2"          # runs them

\`npm run conformance\` writes this page. \`npm run check\` fails if a rule has no test, or if a test names a rule that
does not exist.

<!-- prettier-ignore-start -->`;
