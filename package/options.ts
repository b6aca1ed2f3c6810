import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { ParseArgsConfig } from "node:util";
import { wrongIn } from "./checks.ts";
import type { FaultRule } from "./types.ts";

export const HELP = `Usage: pet-store-service [options]

Serves a pet store, http://localhost:8787/v2, and prints the address of its page.

  --port <number>     default: 8787; 0 means any free port
  --host <address>    default: 127.0.0.1, which only this machine can reach
  --base-path <path>  serves the interface of /v2 at this path too
  --data <data>       initial data: classic (default), empty, or a JSON file like the answer of
                      GET /stores/{store}/data
  --keep <folder>     keeps the store and its name in this folder; --data and --store then apply
                      only to a new store. Default: in memory
  --store <name>      the name of the store: random, or 16 to 64 characters of A-Z a-z 0-9 _ -
                      Default: pet-store-service; random with --keep or --access protected
  --stores <who>      who may create other stores below /stores: anyone, key (who has the key of
                      --api-key) or nobody. Default: anyone; key with --access protected
  --access protected  operations need a session or the API key, as in production; default: open
  --api-key <key>     the value of the header api_key for protected access
  --faults <file>     a JSON file of rules that change answers, as for
                      PUT /stores/{store}/faults
  --quiet             prints only errors
  --json              prints one line of JSON with the base url and the address of the store
  --help              prints this
  --version           prints the version

Web pages of any origin can use the server from a browser on this machine. If a page knows the name
of the store, it can also read and replace all data. The default name is public. With --store
random, nobody can guess the name.
`;

const CREATORS = ["anyone", "key", "nobody"] as const;

/** The default name of the store if access is open and nothing is kept. */
const NAME = "pet-store-service";

/** An option of the command is invalid. */
export class WrongOption extends Error {
  override readonly name = "WrongOption";
}

export interface Options {
  readonly kind: "serve";
  readonly port: number;
  readonly host: string;
  /** Another base path of the interface at `/v2`. */
  readonly basePath: string | undefined;
  /** The data of a new store: JSON like the body of `PUT …/data`. */
  readonly data: string;
  readonly keep: string | undefined;
  /** The name of a new store. */
  readonly store: string;
  /** Who may create other stores. Default: depends on `access`. */
  readonly stores: (typeof CREATORS)[number] | undefined;
  readonly access: "open" | "protected";
  readonly apiKey: string | undefined;
  readonly faults: readonly FaultRule[] | undefined;
  readonly prints: "all" | "json" | "nothing";
}

const OPTIONS = {
  port: { type: "string", default: "8787" },
  host: { type: "string", default: "127.0.0.1" },
  "base-path": { type: "string" },
  data: { type: "string", default: "classic" },
  keep: { type: "string" },
  store: { type: "string" },
  stores: { type: "string" },
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
    basePath: basePathOf(given["base-path"]),
    data: dataOf(given.data),
    keep: keep === undefined ? undefined : resolve(keep),
    store: nameOf(given),
    stores: creatorsOf(given.stores),
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

/** @returns the path without a slash at its end; `undefined` for one that is served in any case */
function basePathOf(given: string | undefined): string | undefined {
  const path = given?.replace(/\/$/, "");
  if (path === undefined || path === "/v2" || path === "/api/v3") return undefined;
  const isTaken = /^\/(?:v2|api\/v3|docs|stores)(?:\/|$)/.test(path);
  if (!isTaken && /^(?:\/[\w~-][\w.~-]*)+$/.test(path)) return path;
  throw new WrongOption(
    `--base-path takes a path such as /v1 or /my/api, but not ${given}, below which the server has other paths`,
  );
}

function creatorsOf(given: string | undefined): Options["stores"] {
  const known = CREATORS.find((each) => each === given);
  if (known === given) return known;
  throw new WrongOption(`--stores takes ${CREATORS.join(", ")}`);
}

function dataOf(given: string): string {
  if (given === "classic" || given === "empty") return JSON.stringify({ data: given });
  return readJson("--data", given);
}

/**
 * Anyone who knows the name can use the store, even if access is protected. So the default is random, unless access is
 * open and nothing is kept.
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
    // Editors on Windows add a byte order mark, which JSON does not allow (RFC 8259 §8.1).
    const text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
    JSON.parse(text);
    return text;
  } catch (fault) {
    const { message } = fault as Error;
    throw new WrongOption(`${option}: ${file} cannot be read as JSON: ${message}`);
  }
}
