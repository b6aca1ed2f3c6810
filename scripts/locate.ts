// `npm run locate`: copies lines of the log from standard input, and replaces each position in the bundle by that in
// the source. `npm run build` on the deployed commit makes the source map.
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import type { SourceMapPayload } from "node:module";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
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

const log = process.stdin.isTTY ? "" : await text(process.stdin);
if (log.trim() === "") {
  console.error("Give it lines of the log: npm run --silent locate < line.json");
  process.exitCode = 1;
} else if (existsSync(MAP)) {
  const map = new SourceMap(JSON.parse(readFileSync(MAP, "utf8")) as SourceMapPayload);
  console.log(
    log
      // A stack is one string of JSON.
      .replaceAll(String.raw`\n`, "\n")
      .replaceAll(
        /[\w./:-]*index\.js:(\d+):(\d+)/g,
        (place, line, column) => placeOf(map, Number(line), Number(column)) ?? place,
      )
      .trimEnd(),
  );
} else {
  console.error("There is no source map: run `npm run build` on the deployed commit.");
  process.exitCode = 1;
}
