/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import interfacePage from "../docs/interface.md?raw";
import { GENERAL_ERRORS } from "../src/http/errors.ts";
import { messagesOf } from "../src/http/operation.ts";
import { petstore3Routes, routes, templateOf } from "../src/routes.ts";
import type { Route } from "../src/routes.ts";

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

const operationsOf = (table: readonly Route[]) =>
  table.map(({ method, path, endpoint }) => ({
    name: `${method} ${templateOf(path)}`,
    errors: messagesOf(endpoint.operation),
  }));
const operations = operationsOf(routes);

/** The rows of a table of errors, and what operations declare for its columns. Rows without any are left out. */
function errorsIn(number: string, table: readonly Route[]) {
  const [[, ...statuses] = [], ...rows] = tableIn(number);
  const stated = rows.map(([name = "", ...messages]) => [
    name,
    statuses.map((_, index) => messages[index] ?? ""),
  ]);
  const declared = operationsOf(table)
    .map(({ name, errors }) => [name, statuses.map((status) => errors[Number(status)] ?? "")])
    .filter(([, messages = []]) => [...messages].some((message) => message !== ""));
  return { stated: Object.fromEntries(stated), declared: Object.fromEntries(declared) };
}

describe("docs/interface.md", () => {
  test.each(operations)("names the operation $name", ({ name }) => {
    expect(interfacePage.split(name).slice(1)).toContainEqual(expect.stringMatching(/^(?![\w/{])/));
  });

  test("gives every operation the errors that its contract declares §8.2", () => {
    const { stated, declared } = errorsIn("8.2", routes);
    expect(stated).toEqual(declared);
  });

  test("gives the operations of Petstore 3 their errors, where these are others §11.2.6", () => {
    const { stated, declared } = errorsIn("11.2", petstore3Routes);
    const { declared: atV2 } = errorsIn("11.2", routes);
    const others = Object.entries(declared).filter(
      ([name, messages]) => JSON.stringify(messages) !== JSON.stringify(atV2[name]),
    );
    expect(stated).toEqual(Object.fromEntries(others));
  });

  test("has the errors of any operation §8.3", () => {
    const [, ...rows] = tableIn("8.3");
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(Object.values(GENERAL_ERRORS)));
  });
});
