// `npm run locate`: reads lines of the log on its standard input, and prints them with the place in the source for each
// place in the bundle. `npm run build` of the commit that was deployed makes the map.
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import type { SourceMapPayload } from "node:module";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { ROOT } from "./programs.ts";

const FOLDER = join(ROOT, "dist");
const MAP = join(FOLDER, "index.js.map");

/** @param place in the bundle, counted from 1 */
function placeOf(map: SourceMap, line: number, column: number): string | undefined {
  const origin = map.findOrigin(line, column);
  if (!("fileName" in origin)) return undefined;
  const file = relative(ROOT, join(FOLDER, origin.fileName));
  return `${file}:${origin.lineNumber}:${origin.columnNumber}`;
}

if (existsSync(MAP)) {
  const map = new SourceMap(JSON.parse(readFileSync(MAP, "utf8")) as SourceMapPayload);
  const log = await text(process.stdin);
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
  console.error("There is no map: run `npm run build` on the commit that was deployed.");
  process.exitCode = 1;
}
