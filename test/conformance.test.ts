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
    .filter((line) => line.startsWith("|") && !line.startsWith("| -"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

type Row = readonly string[];

const textOf = (cells: Row) => `| ${cells.join(" | ")} |`;

/** The rows that a table lacks, and those that it should not have. */
function wrongRows(number: string, rows: readonly Row[], wanted: readonly Row[]): string[] {
  const [stated, declared] = [new Set(rows.map(textOf)), new Set(wanted.map(textOf))];
  return [
    ...[...declared.difference(stated)].map((row) => `§${number} lacks ${row}`),
    ...[...stated.difference(declared)].map((row) => `no contract states ${row} of §${number}`),
  ];
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
const [, ruleSchema] = FaultState.pipe;
/** Members of a rule that only answers have: §10.6.4. */
const COUNTS = new Set(["used", "met", "left"]);

describe("docs/interface.md", () => {
  test.each([
    ["3", membersOf("Pet")],
    ["4", membersOf("Order")],
    ["5", membersOf("User")],
    ["10.6", Object.keys(ruleSchema.entries).filter((member) => !COUNTS.has(member))],
  ])("has every member in the first table of §%s", (number, members) => {
    const [, ...rows] = tableIn(number);
    const stated = rows.flatMap(([first = ""]) => first.split(", "));
    expect(
      wrongRows(
        number,
        stated.map((name) => [name]),
        members.map((name) => [`\`${name}\``]),
      ),
    ).toEqual([]);
  });

  test.each(routes)("names the operation $method $path", ({ method, path }) => {
    const named = interfacePage.split(`${method} ${templateOf(path)}`).slice(1);
    expect(named).toContainEqual(expect.stringMatching(/^(?![\w/{])/));
  });

  test("gives every operation the errors that its contract declares §8.2", () => {
    const [[, ...statuses] = [], ...rows] = tableIn("8.2");
    expect(wrongRows("8.2", rows, rowsOf(routes, statuses))).toEqual([]);
  });

  test("gives the operations of Petstore 3 their errors, where these are others §11.2.6", () => {
    const [[, ...statuses] = [], ...rows] = tableIn("11.2");
    const atV2 = new Set(rowsOf(routes, statuses).map(textOf));
    const others = rowsOf(petstore3Routes, statuses).filter((row) => !atV2.has(textOf(row)));
    expect(wrongRows("11.2", rows, others)).toEqual([]);
  });

  test("has the errors of any operation §8.3", () => {
    const [, ...rows] = tableIn("8.3");
    const general = Object.values(GENERAL_ERRORS).map(([status, what]) => [String(status), what]);
    expect(
      wrongRows(
        "8.3",
        rows.map((row) => row.slice(0, 2)),
        general,
      ),
    ).toEqual([]);
  });
});
