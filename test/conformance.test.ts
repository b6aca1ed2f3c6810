/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import interfacePage from "../docs/interface.md?raw";
import { namedIn, pageOf, sectionsOf } from "../scripts/conformance/page.ts";
import { GENERAL_ERRORS } from "../src/http/errors.ts";
import { routes } from "../src/routes.ts";

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
  test.each(operations)("names the operation $name", ({ name }) => {
    expect(interfacePage.split(name).slice(1)).toContainEqual(expect.stringMatching(/^(?![\w/{])/));
  });

  test("gives every operation the errors that its contract declares §8.2", () => {
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

  test("has the errors of any operation §8.3", () => {
    const [, ...rows] = tableIn("8.3");
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(Object.entries(GENERAL_ERRORS)));
  });
});

// `npm run check` compares the page with the rules and the tests: scripts/conformance.ts.
describe("the page of conformance", () => {
  // Without the sign, these are no titles of this file.
  const source = `
    describe("a group of #1.1.1 things", () => {
      test("holds a rule #1.1.1", async () => { send("a call"); });
      test('holds two rules #1.1.1 #API1', () => {});
      test(\`of a template: \${name} #2\`, async ({ task }) => {});
      test.each(data)(
        "on its own line, the user's %s #1.1.2",
        async (_, value) => {},
      );
      // interface #1.3 is no title
    });
  `.replaceAll("#", "§");
  const page = [
    "# Page",
    "## 1. One",
    "### 1.1 GET /pet/{petId}",
    "**1.1.1** A rule.",
    "**1.1.2** Another, as **1.1.1**.",
    "### 1.2 Alone",
    "A rule.",
    "## Risks",
    "| **API1** A risk | An answer |",
  ].join("\n");
  const sections = sectionsOf("page.md", page);

  test("has the rules of each section", () => {
    expect(sections.map(({ number, anchor, rules }) => [number, anchor, ...rules])).toEqual([
      ["1", "1-one"],
      ["1.1", "11-get-petpetid", "1.1.1", "1.1.2"],
      ["1.2", "12-alone", "1.2"],
      ["", "risks", "API1"],
    ]);
  });

  test("knows a title by the numbers at its end", () => {
    expect(namedIn(source)).toEqual(["1.1.1", "1.1.1", "API1", "2", "1.1.2"]);
  });

  test("links each rule to the tests that name it", () => {
    const tests = [
      { file: "test/one.test.ts", names: ["1.1.1", "1.2", "1.1.1"] },
      { file: "e2e/two.test.ts", names: ["1.1.1"] },
      { file: "test/three.test.ts", names: [] },
    ];
    const text = pageOf(sections.slice(0, 3), tests);
    expect(text.slice(text.indexOf("## "))).toBe(
      [
        "## [1.1 GET /pet/{petId}](page.md#11-get-petpetid)\n",
        "- **1.1.1** [one] (2), [e2e/two]",
        "- **1.1.2** ",
        "\n## [1.2 Alone](page.md#12-alone)\n",
        "- **1.2** [one]",
        "\n[one]: ../test/one.test.ts",
        "[e2e/two]: ../e2e/two.test.ts",
        "\n<!-- prettier-ignore-end -->\n",
      ].join("\n"),
    );
  });
});
