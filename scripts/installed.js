// Runs before the scripts that a new clone needs first, on any Node: without an install, or with `--ignore-scripts`, an
// older one would only call their file extension unknown.
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
