/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import interfacePage from "../docs/interface.md?raw";
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
