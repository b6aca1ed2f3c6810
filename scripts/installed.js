// Runs before `npm start`, on any Node. Without an install, or after one with `--ignore-scripts`, Node may be too
// old for the scripts, and would only complain about the extension of a file.
import { existsSync } from "node:fs";

const hasPackages = existsSync("node_modules/wrangler");
const readsTypeScript = Boolean(process.features.typescript);

if (!hasPackages) {
  console.error("The packages are not installed: run `npm install`.");
} else if (!readsTypeScript) {
  console.error(
    `The scripts need Node 22.18 or newer, and this is ${process.version}. npm install brings such a Node, but not with --ignore-scripts: run \`npm rebuild node\`.`,
  );
}
process.exitCode = hasPackages && readsTypeScript ? 0 : 1;
