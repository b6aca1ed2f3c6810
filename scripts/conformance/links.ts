/** Titles of tests by their file. */
type Titles = Readonly<Record<string, readonly string[]>>;

/** What docs/tests.json states: for each page and row, the tests that prove it. */
export type TestsOfPages = Readonly<Record<string, Readonly<Record<string, Titles>>>>;

/** A numbered heading of docs/interface.md. */
export interface Section {
  readonly number: string;
  readonly anchor: string;
}

/** What the links of a page are made from. */
export interface Known {
  /** For each row of the page, by its name. */
  readonly tests: Readonly<Record<string, Titles>>;
  /** The line of each test, by the test's file and title. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly sections: readonly Section[];
}

/** A keyword of vitest, or the title after it: at once, or after the data of `each`. Options may follow it. */
const KEYWORD_OR_TITLE =
  /\b(?<keyword>describe|test|it)(?<modifier>(?:\.\w+)*)(?=\s*[<(])|(?<data>\))?\s*\(\s*(?<quote>["'`])(?<title>(?:(?!\k<quote>)[^\\]|\\.)*)\k<quote>,\s*(?:\{[^}]*\},\s*)?(?:async\s*)?\(/g;

/** The titles of the tests in a source, as they stand there, with the line of each. */
export function titlesIn(source: string): Map<string, number> {
  const titles = new Map<string, number>();
  let last = { callee: "", end: -1 };
  for (const match of source.matchAll(KEYWORD_OR_TITLE)) {
    const { keyword, modifier = "", data, quote = "", title } = match.groups ?? {};
    if (keyword !== undefined) {
      last = { callee: keyword + modifier, end: match.index + match[0].length };
      continue;
    }
    const callees = data === undefined ? ["test", "it"] : ["test.each", "it.each"];
    const isBehind = data !== undefined || match.index === last.end;
    if (title === undefined || !isBehind || !callees.includes(last.callee)) continue;
    const at = match.index + match[0].indexOf(quote);
    if (!titles.has(title)) titles.set(title, source.slice(0, at).split("\n").length);
  }
  return titles;
}

/** The numbered headings of docs/interface.md, with the anchors that GitHub gives them. */
export function sectionsOf(page: string): Section[] {
  return [...page.matchAll(/^##+ (?<number>\d+(?:\.\d+)?)(?<rest>.*)$/gm)].map(
    ({ groups = {} }) => {
      const { number = "", rest = "" } = groups;
      const anchor = `${number}${rest}`
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-");
      return { number, anchor };
    },
  );
}

/** The sections that are not divided further: each states rules. */
export function leavesOf(sections: readonly Section[]): Section[] {
  return sections.filter(
    ({ number }) => !sections.some((other) => other.number.startsWith(`${number}.`)),
  );
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Without the marks of code and links. */
const plain = (cell: string): string =>
  cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");

/**
 * Fills in the links of a page: the last cell of each row of each table with a column "Tests", and the sections in a
 * column "§". A row is named by its first cell, with "§" by its first two.
 * @returns the page, and what is wrong with it
 */
export function withLinks(
  page: string,
  { tests, lines, sections }: Known,
): { readonly text: string; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const named = new Set<string>();

  const linkTo = (file: string, title: string, index: number): string => {
    const line = lines.get(file)?.get(title);
    if (line === undefined) faults.push(`no such test: ${file}: ${title}`);
    return `[${index + 1}](../${file}#L${line})`;
  };
  const linksOf = (row: string): string => {
    named.add(row);
    const all = Object.entries(tests[row] ?? {}).flatMap(([file, titles]) =>
      titles.map((title) => [file, title] as const),
    );
    if (all.length === 0) faults.push(`no test proves the row: ${row}`);
    return all.map(([file, title], index) => linkTo(file, title, index)).join(" ");
  };
  const sectionLink = (number: string): string => {
    const section = sections.find((one) => one.number === number);
    if (!section) faults.push(`no such section of interface.md: ${number}`);
    return `[${number}](interface.md#${section?.anchor})`;
  };

  let header: readonly string[] | undefined;
  const filled = page.split("\n").map((line) => {
    if (!line.startsWith("|")) {
      header = undefined;
      return line;
    }
    const cells = cellsOf(line);
    const isRow = header !== undefined && !/^[\s|:-]+$/.test(line);
    header ??= cells;
    if (!isRow || header.at(-1) !== "Tests") return line;
    if (cells.length !== header.length) faults.push(`a row of another length: ${line}`);
    const [first = "", second = "", ...rest] = cells;
    const isNumbered = header[0] === "§";
    const row = plain(isNumbered ? `${first} ${second}` : first);
    if (named.has(row)) faults.push(`two rows of one name: ${row}`);
    const shown = isNumbered ? sectionLink(plain(first)) : first;
    return `| ${[shown, second, ...rest.slice(0, -1), linksOf(row)].join(" | ")} |`;
  });
  for (const row of Object.keys(tests)) {
    if (!named.has(row)) faults.push(`no such row: ${row}`);
  }
  return { text: filled.join("\n"), faults };
}
