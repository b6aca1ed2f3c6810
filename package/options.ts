import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { ServerOptions } from "./server.ts";
import * as v from "valibot";
import { PublicUrl } from "../src/http/public-url.ts";

export const HELP = `Usage: pet-store-service [options]

Serves a pet store at http://localhost:8787/v2, for clients of Petstore 3 at /api/v3, and sandboxes.

  -p, --port <number> default: $PORT, or 8787; 0 means any free port
  --host <address>    default: 127.0.0.1, which only this machine can reach
  --data <file>       what a new store contains: JSON as GET /sandboxes/{name}/data shows it.
                      Default: the classic data of Petstore
  --empty             a new store is empty
  --keep <folder>     keeps all data in this folder. Default: in memory
  --access protected  operations need a session or the API key. Default: open
  --api-key <key>     the value of the header X-API-Key for protected access
  --sandboxes <who>   who can make sandboxes: anyone, key (who has the API key) or nobody.
                      Default: anyone; key with --access protected
  --public-url <url>  the address that clients use, if a proxy stands in front.
                      Default: $PUBLIC_URL, or the address of each request
  --json              prints one line of JSON: url, petstore3Url and sandboxes
  --quiet             prints only errors
  -h, --help          prints this
  --version           prints the version

Web pages of any origin can use the server from a browser on this machine.
`;

const OPTIONS = {
  port: { type: "string", short: "p" },
  host: { type: "string", default: "127.0.0.1" },
  data: { type: "string" },
  empty: { type: "boolean", default: false },
  keep: { type: "string" },
  access: { type: "string", default: "open" },
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

export interface Options {
  readonly show: "help" | "version" | "server";
  readonly prints: "everything" | "json" | "nothing";
  readonly server: ServerOptions;
}

/** Reads the arguments and the variables of the command. @throws WrongOption */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): Options {
  const given = parse(args);
  const { host, access, json, quiet, sandboxes, "api-key": apiKey } = given;
  const port = given.port ?? (env["PORT"] || "8787");
  const publicUrl = given["public-url"] ?? (env["PUBLIC_URL"] || undefined);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new WrongOption("--port takes a number from 0 to 65535");
  }
  if (host === "") throw new WrongOption("--host takes an address");
  if (given.keep === "") throw new WrongOption("--keep takes a folder");
  if (given.data !== undefined && given.empty) {
    throw new WrongOption("--data and --empty exclude each other");
  }
  if (access !== "open" && access !== "protected") {
    throw new WrongOption("--access takes open or protected");
  }
  if (apiKey !== undefined) checkKey(apiKey, access);
  if (sandboxes !== undefined && !isCreator(sandboxes)) {
    throw new WrongOption("--sandboxes takes anyone, key or nobody");
  }
  if (publicUrl !== undefined) checkPublicUrl(publicUrl);
  return {
    show: given.help ? "help" : given.version ? "version" : "server",
    prints: json ? "json" : quiet ? "nothing" : "everything",
    server: {
      host,
      port: Number(port),
      publicUrl,
      access,
      apiKey,
      sandboxes,
      data: given.data === undefined ? (given.empty ? "empty" : "classic") : readJson(given.data),
      keep: given.keep === undefined ? undefined : resolve(given.keep),
      log: !json && !quiet,
    },
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(". ");
    throw new WrongOption(sentence);
  }
}

const isCreator = (text: string) => text === "anyone" || text === "key" || text === "nobody";

/** Accepts only keys that every client can send in a header (RFC 9110, section 5.5). */
function checkKey(key: string, access: "open" | "protected"): void {
  if (access === "open") throw new WrongOption("--api-key is for --access protected");
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(key)) return;
  throw new WrongOption("--api-key takes printable ASCII without spaces at its ends");
}

/** Validates as the service does, except that the service accepts an empty setting. */
function checkPublicUrl(text: string): void {
  if (text !== "" && v.is(PublicUrl, text)) return;
  throw new WrongOption(
    `--public-url (or PUBLIC_URL) takes an absolute http or https URL without query, fragment or user, not ${text}`,
  );
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
