import { readFileSync } from "node:fs";
import { parseArgs, type ParseArgsConfig } from "node:util";
import * as v from "valibot";
import { ServerOptions } from "./options.ts";

export const HELP = `Usage: pet-store-service [options]

Serves a pet store at http://localhost:8787/v2, for clients of Petstore 3 at /api/v3, and sandboxes.

  -p, --port <number> default: $PORT, or 8787; 0 means any free port
  --host <address>    default: 127.0.0.1, which only this machine can reach
  --data <file>       what a new store contains: JSON as GET /sandboxes/{name}/data shows it.
                      Default: the classic data of Petstore
  --empty             a new store is empty
  --keep <folder>     keeps all data in this folder. Default: a temporary folder
  --access protected  requires a session or the API key, except to read pets and to sign up. Default: open
  --api-key <key>     the value of the header X-API-Key for protected access, of at least 16 characters
  --sandboxes <who>   who can create sandboxes: anyone, key (clients with the API key), or nobody.
                      Default: anyone; key with --access protected
  --public-url <url>  the address that clients use, if a proxy stands in front.
                      Default: $PUBLIC_URL, or the address of each request
  --json              prints one line of JSON: url, petstore3Url, and sandboxes
  --quiet             prints only errors
  -h, --help          prints this
  --version           prints the version

Web pages of any origin can use the server from a browser on this machine.
`;

const OPTIONS = {
  port: { type: "string", short: "p" },
  host: { type: "string" },
  data: { type: "string" },
  empty: { type: "boolean", default: false },
  keep: { type: "string" },
  access: { type: "string" },
  "api-key": { type: "string" },
  sandboxes: { type: "string" },
  "public-url": { type: "string" },
  json: { type: "boolean", default: false },
  quiet: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
  version: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

/** An option of the command is invalid. */
export class WrongOption extends Error {
  override readonly name = "WrongOption";
}

export interface Arguments {
  readonly show: "help" | "version" | "server";
  readonly prints: "everything" | "json" | "nothing";
  readonly server: ServerOptions;
}

/** The names of options that differ from those of `ServerOptions`. */
const NAMES: Readonly<Record<string, string>> = {
  port: "--port (or PORT)",
  publicUrl: "--public-url (or PUBLIC_URL)",
  apiKey: "--api-key",
};

/** Reads the arguments and the variables of the command. @throws WrongOption */
export function readArguments(args: string[], env: NodeJS.ProcessEnv): Arguments {
  const { help, version, json, quiet, empty, data, host, keep, access, sandboxes, ...given } = parse(args);
  if (data !== undefined && empty) throw new WrongOption("--data and --empty exclude each other");
  const port = given.port ?? (env["PORT"] || "8787");
  const { success, output, issues } = v.safeParse(ServerOptions, {
    host,
    keep,
    access,
    sandboxes,
    port: /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN,
    publicUrl: given["public-url"] ?? env["PUBLIC_URL"],
    apiKey: given["api-key"],
    data: data === undefined ? (empty ? "empty" : "classic") : readJson(data),
    log: !json && !quiet,
  });
  if (!success) {
    const name = String(v.getDotPath(issues[0]));
    throw new WrongOption(`${NAMES[name] ?? `--${name}`} ${issues[0].message}`);
  }
  return {
    show: help ? "help" : version ? "version" : "server",
    prints: json ? "json" : quiet ? "nothing" : "everything",
    server: output,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(/\.\s/);
    throw new WrongOption(sentence);
  }
}

/** Reads a JSON file. The server validates its content. */
function readJson(file: string): unknown {
  try {
    // Editors on Windows add a byte order mark.
    return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new WrongOption(`--data: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
