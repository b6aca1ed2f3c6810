// `npm run quotes`: puts files into the documents that quote them, so that a document shows what CI runs. If a document
// has `<!-- examples/client.js -->`, the code block after it is that file. With --check it only compares.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";

const QUOTE = /^(<!-- (examples\/\S+) -->\n\n```)\w+\n[^]*?\n(```)$/gm;

const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
const stale = ["README.md", ...pages.map((name) => join("docs", name))].filter((document) => {
  const text = readFileSync(document, "utf8");
  const quoted = text.replaceAll(
    QUOTE,
    (_, opening: string, file: string, closing: string) =>
      `${opening}${extname(file).replace(/^\.[cm]?/, "")}\n${readFileSync(file, "utf8").trimEnd()}\n${closing}`,
  );
  if (quoted === text) return false;
  if (!process.argv.includes("--check")) writeFileSync(document, quoted);
  return true;
});

if (process.argv.includes("--check") && stale.length > 0) {
  console.error(
    `npm run quotes: ${stale.join(", ")} quote an example that has changed or is missing`,
  );
  process.exitCode = 1;
}
