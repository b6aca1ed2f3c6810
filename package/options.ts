import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { ParseArgsConfig } from "node:util";
import type { FaultRule, StoreData } from "./types.ts";

export const HELP = `Usage: pet-store-service [options]

Serves a pet store, http://localhost:8787/v2, and a page to try it, http://localhost:8787/docs/.

  --port <number>     default: 8787; 0 takes any free port
  --host <address>    default: 127.0.0.1, which only this machine reaches
  --data <data>       what the store holds at first: classic (default), empty, or a JSON file like
                      the answer of GET /stores/{store}/data
  --keep <folder>     keeps the store in this folder; --data does not fill a kept store again.
                      Default: in memory
  --access protected  operations need a session or the API key, as in production; default: open
  --api-key <key>     what the header api_key must contain where access is protected
  --faults <file>     JSON rules that make requests fail, as for PUT /stores/{store}/faults
  --quiet             prints only faults
  --json              prints one line of JSON: the url of the interface, and the address of the store
  --help              prints this
  --version           prints the version
`;

/** An option of the command is wrong. */
export class WrongOption extends Error {
  override readonly name = "WrongOption";
}

export interface Options {
  readonly kind: "serve";
  readonly port: number;
  readonly host: string;
  readonly data: StoreData;
  readonly keep: string | undefined;
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
  const { access, quiet, json, keep } = given;
  const port = Number(given.port);
  if (!/^\d+$/.test(given.port) || port > 65_535) {
    throw new WrongOption("--port takes a number from 0 to 65535");
  }
  if (access !== "open" && access !== "protected") {
    throw new WrongOption("--access takes open or protected");
  }
  const apiKey = given["api-key"];
  if (apiKey !== undefined && access === "open") {
    throw new WrongOption("--api-key is for --access protected");
  }
  for (const name of ["host", "keep", "api-key"] as const) {
    if (given[name] === "") throw new WrongOption(`--${name} takes a value that is not empty`);
  }
  return {
    kind: "serve",
    port,
    host: given.host,
    data: dataOf(given.data),
    keep: keep === undefined ? undefined : resolve(keep),
    access,
    apiKey,
    faults:
      given.faults === undefined ? undefined : (readJson("--faults", given.faults) as FaultRule[]),
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

function dataOf(given: string): StoreData {
  if (given === "classic" || given === "empty") return given;
  return readJson("--data", given) as StoreData;
}

/** Reads a JSON file. The server checks its content. */
function readJson(option: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (fault) {
    const { message } = fault as Error;
    throw new WrongOption(`${option}: ${file} cannot be read as JSON: ${message}`);
  }
}
