/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import interfacePage from "../docs/interface.md?raw";
import pages from "../docs/tests.json";
import {
  leavesOf,
  sectionsOf,
  titlesIn,
  withLinks,
  type Known,
  type TestsOfPages,
} from "../scripts/conformance/links.ts";
import { GENERAL_ERRORS } from "../src/http/errors.ts";
import { routes } from "../src/routes.ts";

const sections = sectionsOf(interfacePage);
const testsOf: TestsOfPages = pages;

/** The cells of the table in a section of docs/interface.md, without code marks: its header first. */
function tableIn(number: string): string[][] {
  const [, section = ""] = interfacePage.split(new RegExp(`^### ${number} `, "m"));
  return (section.split(/^##/m)[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|") && !line.startsWith("| -"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
}

const operations = routes.map(({ method, path, endpoint }) => ({
  name: `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
  errors: endpoint.operation.errors,
}));

describe("docs/interface.md", () => {
  test("has a rule for every section, with its tests", () => {
    const rows = Object.keys(testsOf["conformance.md"] ?? {});
    const without = leavesOf(sections).filter(
      ({ number }) => !rows.some((row) => row.startsWith(`${number} `)),
    );
    expect(without).toEqual([]);
  });

  test.each(operations)("names the operation $name", ({ name }) => {
    expect(interfacePage.split(name).slice(1)).toContainEqual(expect.stringMatching(/^(?![\w/{])/));
  });

  test("gives every operation the errors that its contract declares", () => {
    const [[, ...statuses] = [], ...rows] = tableIn("8.2");
    const stated = rows.map(([name = "", ...messages]) => [
      name,
      statuses.map((_, index) => messages[index] ?? ""),
    ]);
    const declared = operations
      .map(({ name, errors }) => [name, statuses.map((status) => errors[Number(status)] ?? "")])
      .filter(([, messages = []]) => [...messages].some((message) => message !== ""));
    expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(declared));
  });

  test("has the errors of any operation", () => {
    const [, ...rows] = tableIn("8.3");
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(Object.entries(GENERAL_ERRORS)));
  });

  test("has every section that code, tests and pages cite", () => {
    const texts = Object.values({
      ...import.meta.glob<string>(
        [
          "../{src,test,e2e,scripts,bench}/**/*.ts",
          "../migrations/*.sql",
          "../{README,docs/**/*}.md",
        ],
        { query: "?raw", import: "default", eager: true },
      ),
    });
    const cited = texts.flatMap((text) =>
      [...text.matchAll(/\binterface §(\d+(?:\.\d+)?)/g)].map(([, number = ""]) => number),
    );
    const numbers = new Set(sections.map(({ number }) => number));
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter((number) => !numbers.has(number))).toEqual([]);
  });
});

// `npm run check` compares the links of the pages with the tests: scripts/conformance.ts.
describe("the pages with links to tests", () => {
  test("are the ones that docs/tests.json names", () => {
    expect(Object.keys(testsOf)).toEqual(["conformance.md", "security.md"]);
  });

  test("have the 22 errors that the specification gives the operations", () => {
    const rows = Object.keys(testsOf["conformance.md"] ?? {}).flatMap(
      (row) => /^8\.2 (\S+ \S+ \d+)$/.exec(row)?.[1] ?? [],
    );
    const declared = operations.flatMap(({ name, errors }) =>
      [400, 404, 405].filter((status) => status in errors).map((status) => `${name} ${status}`),
    );
    expect(rows).toHaveLength(22);
    expect(declared).toEqual(expect.arrayContaining(rows));
  });
});

describe("the check of the links", () => {
  const page = [
    "| § | Rule | Answer | Tests |",
    "| --- | --- | --- | --- |",
    "| 1.1 | `A` rule | Yes | |",
  ];
  const known: Known = {
    tests: { "1.1 A rule": { "test/one.test.ts": ["first", "second"] } },
    lines: new Map([
      [
        "test/one.test.ts",
        new Map([
          ["first", 3],
          ["second", 9],
        ]),
      ],
    ]),
    sections: [{ number: "1.1", anchor: "11-routes" }],
  };

  test("finds titles of tests, after data and on lines of their own too, and no others", () => {
    const source = `
      describe("a group", () => {
        test("a plain one", async () => { send("a call", () => 1); });
        it('in single quotes', () => {});
        test(\`of a template: \${name}\`, async ({ task }) => {});
        test.each<[string, (a: string) => void]>([["data (1)", (a) => a]])("with %s", async () => {});
        test.each(data)(
          "on its own line: %s",
          async (_, value) => {},
        );
        test("with options", { timeout: timeFor(RUNS) }, async () => {});
        test.skip("left out", () => {});
      });
      describe.each(data)("a group of %s", () => {});
    `;
    expect([...titlesIn(source)]).toEqual([
      ["a plain one", 3],
      ["in single quotes", 4],
      ["of a template: ${name}", 5],
      ["with %s", 6],
      ["on its own line: %s", 8],
      ["with options", 11],
    ]);
  });

  test("finds the sections that are not divided further", () => {
    const found = sectionsOf("# Page\n## 1. One\n### 1.1 GET /pet/{petId}\ntext\n## 2. The two\n");
    expect(found).toEqual([
      { number: "1", anchor: "1-one" },
      { number: "1.1", anchor: "11-get-petpetid" },
      { number: "2", anchor: "2-the-two" },
    ]);
    expect(leavesOf(found).map(({ number }) => number)).toEqual(["1.1", "2"]);
  });

  test("writes links, and the same ones again", () => {
    const { text, faults } = withLinks(page.join("\n"), known);
    expect(faults).toEqual([]);
    expect(text.split("\n").at(-1)).toBe(
      "| [1.1](interface.md#11-routes) | `A` rule | Yes | [1](../test/one.test.ts#L3) [2](../test/one.test.ts#L9) |",
    );
    expect(withLinks(text, known)).toEqual({ text, faults: [] });
  });

  test.each<[string, Partial<Known>, string]>([
    [
      "a test that is not in its file",
      { tests: { "1.1 A rule": { "test/one.test.ts": ["third"] } } },
      "no such test: test/one.test.ts: third",
    ],
    [
      "a file that does not exist",
      { tests: { "1.1 A rule": { "test/two.test.ts": ["first"] } } },
      "no such test: test/two.test.ts: first",
    ],
    ["a row without a test", { tests: {} }, "no test proves the row: 1.1 A rule"],
    [
      "tests of a row that is not there",
      { tests: { ...known.tests, "1.1 Another": {} } },
      "no such row: 1.1 Another",
    ],
    ["a section that is not there", { sections: [] }, "no such section of interface.md: 1.1"],
  ])("finds %s", (_, changes, fault) => {
    expect(withLinks(page.join("\n"), { ...known, ...changes }).faults).toEqual([fault]);
  });

  test("finds two rows of one name, and a row of another length", () => {
    const twice = [...page, "| 1.1 | A rule | No | |", "| 1.1 | Another | |"].join("\n");
    const tests = { ...known.tests, "1.1 Another": known.tests["1.1 A rule"] ?? {} };
    expect(withLinks(twice, { ...known, tests }).faults).toEqual([
      "two rows of one name: 1.1 A rule",
      "a row of another length: | 1.1 | Another | |",
    ]);
  });
});
