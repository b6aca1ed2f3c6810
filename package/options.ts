import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { ParseArgsConfig } from "node:util";
import { wrongIn } from "./checks.ts";
import type { FaultRule } from "./types.ts";

export const HELP = `Usage: pet-store-service [options]

Serves a pet store, http://localhost:8787/v2, and prints the address of its page.

  --port <number>     default: 8787; 0 takes any free port
  --host <address>    default: 127.0.0.1, which no other machine reaches
  --data <data>       what the store holds at first: classic (default), empty, or a JSON file like
                      the answer of GET /stores/{store}/data
  --keep <folder>     keeps the store and its name in this folder; --data and --store are only for
                      a new one. Default: in memory
  --store <name>      the name of the store: random, or 16 to 64 characters of A-Z a-z 0-9 _ -
                      Default: pet-store-service; random with --keep or --access protected
  --access protected  operations need a session or the API key, as in production; default: open
  --api-key <key>     what the header api_key must contain where access is protected
  --faults <file>     JSON rules that make requests fail, as for PUT /stores/{store}/faults
  --quiet             prints only faults
  --json              prints one line of JSON: the url of the interface, and the address of the store
  --help              prints this
  --version           prints the version

Web pages of any origin can use the server from a browser on this machine. If a page knows the name
of the store, it can also read and replace all data. The default name is public; nobody can guess
that of --store random.
`;

/** The name of the store, if access is open, nothing is kept, and `--store` does not choose another. */
const NAME = "pet-store-service";

/** An option of the command is wrong. */
export class WrongOption extends Error {
  override readonly name = "WrongOption";
}

export interface Options {
  readonly kind: "serve";
  readonly port: number;
  readonly host: string;
  /** What a new store holds: JSON like the body of `PUT …/data`. */
  readonly data: string;
  readonly keep: string | undefined;
  /** The name of a new store. */
  readonly store: string;
  readonly access: "open" | "protected";
  readonly apiKey: string | undefined;
  readonly faults: readonly FaultRule[] | undefined;
  /** What is printed. */
  readonly prints: "all" | "json" | "nothing";
}

const OPTIONS = {
  port: { type: "string", default: "8787" },
  host: { type: "string", default: "127.0.0.1" },
  data: { type: "string", default: "classic" },
  keep: { type: "string" },
  store: { type: "string" },
  access: { type: "string", default: "open" },
  "api-key": { type: "string" },
  faults: { type: "string" },
  quiet: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
  version: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

/** @throws WrongOption */
export function readOptions(
  args: string[],
): Options | { readonly kind: "help" } | { readonly kind: "version" } {
  const given = parse(args);
  if (given.help) return { kind: "help" };
  if (given.version) return { kind: "version" };
  const { quiet, json, keep, "api-key": apiKey } = given;
  const port = /^\d+$/.test(given.port) ? Number(given.port) : NaN;
  const access = given.access as Options["access"];
  const [wrong, says] = wrongIn({ port, access, apiKey }) ?? [];
  if (wrong) throw new WrongOption(`--${wrong === "apiKey" ? "api-key" : wrong} ${says}`);
  for (const name of ["host", "keep"] as const) {
    if (given[name] === "") throw new WrongOption(`--${name} takes a value that is not empty`);
  }
  return {
    kind: "serve",
    port,
    host: given.host,
    data: dataOf(given.data),
    keep: keep === undefined ? undefined : resolve(keep),
    store: nameOf(given),
    access,
    apiKey,
    faults:
      given.faults === undefined
        ? undefined
        : (JSON.parse(readJson("--faults", given.faults)) as FaultRule[]),
    prints: json ? "json" : quiet ? "nothing" : "all",
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (fault) {
    const { message } = fault as Error;
    const [, option] = /'(--[\w-]+).*' argument (?:missing|is ambiguous)/.exec(message) ?? [];
    const [sentence = ""] = message.split(". ");
    throw new WrongOption(option ? `${option} takes a value` : sentence.replace(/\.$/, ""));
  }
}

function dataOf(given: string): string {
  if (given === "classic" || given === "empty") return JSON.stringify({ data: given });
  return readJson("--data", given);
}

/**
 * Anyone who knows the name can use the store, even if access is protected. So it is random, unless access is open and
 * nothing is kept: then a known name is more useful.
 */
function nameOf({ store, keep, access }: ReturnType<typeof parse>): string {
  const given = store ?? (keep === undefined && access === "open" ? NAME : "random");
  if (given === "random") return randomUUID();
  if (/^[\w-]{16,64}$/.test(given)) return given;
  throw new WrongOption("--store takes random, or 16 to 64 characters of A-Z a-z 0-9 _ -");
}

/** Reads a JSON file. The server checks its content. */
function readJson(option: string, file: string): string {
  try {
    // Editors on Windows put a mark first, which JSON does not have (RFC 8259 §8.1).
    const text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
    JSON.parse(text);
    return text;
  } catch (fault) {
    const { message } = fault as Error;
    throw new WrongOption(`${option}: ${file} cannot be read as JSON: ${message}`);
  }
}
