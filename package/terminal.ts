// Node 18 has no `styleText`. With a named import, it could not load this file and say that it is too old.
import util from "node:util";
import type { StoreRequest } from "./types.ts";

type Paint = (format: Parameters<typeof util.styleText>[0], text: string) => string;

/** Colours text, if colours are wanted. */
export const painter =
  (isColoured: boolean): Paint =>
  (format, text) =>
    isColoured ? util.styleText(format, text, { validateStream: false }) : text;

/** Colours for a terminal, unless NO_COLOR is set: https://no-color.org */
export const painterOfOutput = () => painter(process.stdout.isTTY && !process.env["NO_COLOR"]);

export interface Greeting {
  /** The base URL of the interface. */
  readonly url: string;
  /** The base URL for clients of Petstore 3. */
  readonly petstore3Url: string;
  /** The base URLs for other machines. */
  readonly others: readonly string[];
  /** The address of the store. */
  readonly store: string;
  readonly counts: Readonly<Record<"pets" | "orders" | "users", number>>;
  readonly kept: string | undefined;
}

const line = (name: string, text: string) => `  ${name.padEnd(10)} ${text}`;

/** What the command prints first. */
export function greetingOf(greeting: Greeting, paint: Paint): string {
  const { url, petstore3Url, others, store, counts, kept } = greeting;
  const { pets, orders, users } = counts;
  return [
    "",
    line("Pet store", paint("bold", url)),
    line("Petstore 3", petstore3Url),
    ...others.map((other) => line("Network", other)),
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

/** What the line of a request shows. */
export type Shown = Pick<StoreRequest, "method" | "path" | "status" | "ms" | "errors" | "rule">;

/** The line of a request, with the errors of its fields. */
export function lineOf(request: Shown, paint: Paint): string {
  const { method, path, status, ms, errors = [], rule } = request;
  const format = status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  const fields = errors.map((field) => `${field.path} ${field.message}`).join("; ");
  const facts = [
    method.padEnd(6),
    printable(path),
    paint(format, String(status)),
    paint("dim", `${ms} ms`),
    ...(rule ? [paint("dim", "on demand")] : []),
    ...(fields === "" ? [] : [paint("yellow", printable(fields))]),
  ];
  return `  ${facts.join("  ")}\n`;
}

/**
 * Removes URLs from workerd's message: they can contain passwords and the name of a store. A URL extends to the end of
 * its line, because a client can put spaces into it.
 */
export function withoutUrls(message: string): string {
  return message.replaceAll(/https?:\/\/[^\n]*/g, "(a URL)");
}

/** Makes a message of several lines printable. */
export function printableLines(message: string): string {
  return message.split("\n").map(printable).join("\n");
}

/** Replaces characters that could control the terminal: control characters, and those that change the direction. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "?");
}
