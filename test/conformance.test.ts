/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import interfacePage from "../docs/interface.md?raw";
import { GENERAL_ERRORS } from "../src/http/errors.ts";
import { messagesOf } from "../src/http/operation.ts";
import { petstore3Routes, routes, templateOf } from "../src/routes.ts";
import type { Route } from "../src/routes.ts";
import { FaultState } from "../src/sandbox/faults/contract.ts";
import { openApi } from "./openapi.ts";

/** The rows of the first table in a section of docs/interface.md, each a list of cells: its header first. */
function tableIn(number: string): string[][] {
  const [, section = ""] = interfacePage.split(new RegExp(`^##+ ${number}\\.? `, "m"));
  return (section.split(/^##/m)[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\| -/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

const textOf = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** Fails with the rows that a table lacks, and with those that it should not have. */
function expectRows(number: string, rows: readonly (readonly string[])[], wanted: string[][]) {
  const [stated, declared] = [rows.map(textOf), wanted.map(textOf)];
  const lacking = declared.filter((row) => !stated.includes(row));
  expect(lacking, `rows that docs/interface.md lacks in §${number}`).toEqual([]);
  const wrong = stated.filter((row) => !declared.includes(row));
  expect(wrong, `rows of docs/interface.md in §${number} that no contract states`).toEqual([]);
}

const rowsOf = (table: readonly Route[], statuses: readonly string[]) =>
  table
    .map(({ method, path, endpoint }) => {
      const messages = messagesOf(endpoint.operation);
      const cells = statuses.map((status) => messages[Number(status)] ?? "");
      return [`\`${method} ${templateOf(path)}\``, ...cells];
    })
    .filter(([, ...messages]) => messages.some((message) => message !== ""));

const membersOf = (component: string) =>
  Object.keys(openApi.components.schemas[component]?.properties ?? {});
const [ruleSchema] = FaultState.pipe;
/** Members of a rule that only answers have: §10.6.4. */
const COUNTS = ["used", "met", "left"];

describe("docs/interface.md", () => {
  test.each([
    ["3", membersOf("Pet")],
    ["4", membersOf("Order")],
    ["5", membersOf("User")],
    ["10.6", Object.keys(ruleSchema.entries).filter((member) => !COUNTS.includes(member))],
  ])("has every member in the first table of §%s", (number, members) => {
    const [, ...rows] = tableIn(number);
    const stated = rows.flatMap(([first = ""]) => first.split(", "));
    expectRows(
      number,
      stated.map((name) => [name]),
      members.map((name) => [`\`${name}\``]),
    );
  });

  test.each(routes)("names the operation $method $path", ({ method, path }) => {
    const named = interfacePage.split(`${method} ${templateOf(path)}`).slice(1);
    expect(named).toContainEqual(expect.stringMatching(/^(?![\w/{])/));
  });

  test("gives every operation the errors that its contract declares §8.2", () => {
    const [[, ...statuses] = [], ...rows] = tableIn("8.2");
    expectRows("8.2", rows, rowsOf(routes, statuses));
  });

  test("gives the operations of Petstore 3 their errors, where these are others §11.2.6", () => {
    const [[, ...statuses] = [], ...rows] = tableIn("11.2");
    const atV2 = new Set(rowsOf(routes, statuses).map(textOf));
    const others = rowsOf(petstore3Routes, statuses).filter((row) => !atV2.has(textOf(row)));
    expectRows("11.2", rows, others);
  });

  test("has the errors of any operation §8.3", () => {
    const [, ...rows] = tableIn("8.3");
    const general = Object.values(GENERAL_ERRORS).map(([status, what]) => [String(status), what]);
    expectRows(
      "8.3",
      rows.map((row) => row.slice(0, 2)),
      general,
    );
  });
});
