// Helps to operate a deployed service. Reads standard input.
//
//   npm run --silent operate -- locate    copies lines of the log, with places in the source instead of the bundle;
//                                         `npm run build` on the deployed commit makes the source map
//   npm run --silent operate -- key-id    prints the id of each key in a PASSWORD_KEY (docs/security.md)
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import type { SourceMapPayload } from "node:module";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
// Before the modules that need it.
import "./node-22.ts";
import { keyringOf } from "../src/platform/keys.ts";
import { CommandError, endWith } from "./command.ts";
import { ROOT } from "./programs.ts";

const FOLDER = join(ROOT, "dist");
const MAP = join(FOLDER, "index.js.map");

/** The position in the source. Lines and columns count from 1. */
function placeOf(map: SourceMap, line: number, column: number): string | undefined {
  const origin = map.findOrigin(line, column);
  if (!("fileName" in origin)) return undefined;
  const file = relative(ROOT, join(FOLDER, origin.fileName));
  return `${file}:${origin.lineNumber}:${origin.columnNumber}`;
}

function locate(log: string): string {
  if (log.trim() === "") {
    throw new CommandError(
      "Give it lines of the log: npm run --silent operate -- locate < line.json",
    );
  }
  if (!existsSync(MAP)) {
    throw new CommandError("There is no source map: run `npm run build` on the deployed commit.");
  }
  const map = new SourceMap(JSON.parse(readFileSync(MAP, "utf8")) as SourceMapPayload);
  return (
    log
      // A stack is one string of JSON.
      .replaceAll(String.raw`\n`, "\n")
      .replaceAll(
        /[\w./:-]*index\.js:(\d+):(\d+)/g,
        (place, line, column) => placeOf(map, Number(line), Number(column)) ?? place,
      )
      .trimEnd()
  );
}

async function keyIds(input: string): Promise<string> {
  const [first = "", ...others] = input.trim().split(",");
  const rings = [first, ...others].map(async (key) => keyringOf([key]));
  const keyrings = await Promise.all(rings).catch((cause: unknown) => {
    const says = "A key is 32 bytes in base64. Give one on standard input, or several with commas.";
    throw new CommandError(says, { cause });
  });
  return keyrings.map(({ current }) => current.id).join("\n");
}

const input = process.stdin.isTTY ? "" : await text(process.stdin);
const [task] = process.argv.slice(2);
try {
  if (task === "locate") console.log(locate(input));
  else if (task === "key-id") console.log(await keyIds(input));
  else throw new CommandError("Usage: npm run --silent operate -- locate | key-id");
} catch (error) {
  endWith(error);
}
