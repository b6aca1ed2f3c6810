// Not by its name, which Node 18 lacks: it could not read this file, and say that it is too old.
import util from "node:util";
import type { StoreRequest } from "./types.ts";

type Format = Parameters<typeof util.styleText>[0];

/** Text with colours, if colours are wanted. */
export class Painter {
  readonly #isColoured: boolean;

  constructor(isColoured: boolean) {
    this.#isColoured = isColoured;
  }

  paint(format: Format, text: string): string {
    return this.#isColoured ? util.styleText(format, text, { validateStream: false }) : text;
  }
}

/** For this process's output: https://no-color.org */
export const painterOfOutput = () => new Painter(process.stdout.isTTY && !process.env["NO_COLOR"]);

export interface Greeting {
  /** The base URL of the interface. */
  readonly url: string;
  /** The base URL for clients of Petstore 3. */
  readonly petstore3Url: string;
  /** The same for other machines. */
  readonly others: readonly string[];
  /** The address of the store: its page, and what is below. */
  readonly store: string;
  readonly counts: Readonly<Record<"pets" | "orders" | "users", number>>;
  readonly kept: string | undefined;
}

const line = (name: string, text: string) => `  ${name.padEnd(10)} ${text}`;

/** The greeting: what the server prints first. */
export function greetingOf(greeting: Greeting, painter: Painter): string {
  const { url, petstore3Url, others, store, counts, kept } = greeting;
  const { pets, orders, users } = counts;
  return [
    "",
    line("Pet store", painter.paint("bold", url)),
    line("Petstore 3", petstore3Url),
    ...others.map((other) => line("Elsewhere", other)),
    line("Page", `${store}/`),
    line("Holds", `${pets} pets, ${orders} orders, ${users} users`),
    line("Data", `${store}/data`),
    ...(kept === undefined ? [] : [line("Kept in", kept)]),
    "",
    `  curl '${url}/pet/findByStatus?status=available&limit=1'`,
    "",
    "",
  ].join("\n");
}

/** What the line for a request shows. */
export type Shown = Pick<StoreRequest, "method" | "path" | "status" | "ms" | "errors" | "rule">;

/** A line for a request, with what was wrong with its fields. */
export function lineOf(request: Shown, painter: Painter): string {
  const { method, path, status, ms, errors = [], rule } = request;
  const format = status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  const fields = errors.map((field) => `${field.path} ${field.message}`).join("; ");
  const facts = [
    method.padEnd(6),
    printable(path),
    painter.paint(format, String(status)),
    painter.paint("dim", `${ms} ms`),
    ...(rule ? [painter.paint("dim", "on demand")] : []),
    ...(fields === "" ? [] : [painter.paint("yellow", printable(fields))]),
  ];
  return `  ${facts.join("  ")}\n`;
}

/**
 * What workerd says about a fault, as it may be printed: without URLs, which can have passwords and the name of a store.
 * A client can put spaces into a URL, so it ends with its line.
 */
export function withoutUrls(message: string): string {
  return message.replaceAll(/https?:\/\/[^\n]*/g, "(a URL)");
}

/** A message of several lines, printable. */
export function printableLines(message: string): string {
  return message.split("\n").map(printable).join("\n");
}

/** Removes what would let a client control the terminal: control characters, and those that turn the direction. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "?");
}
