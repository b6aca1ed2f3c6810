// `npm run links`: fills in the links to tests in the pages that docs/tests.json names. With --check it only fails if
// they are out of date. In both cases it fails if a row has no test, or if a test does not exist.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { sectionsOf, titlesIn, withLinks, type TestsOfPages } from "./conformance/links.ts";

const pages = JSON.parse(readFileSync("docs/tests.json", "utf8")) as TestsOfPages;
const sections = sectionsOf(readFileSync("docs/interface.md", "utf8"));
const lines = new Map(
  globSync(["test/**/*.test.ts", "e2e/*/*.test.ts"]).map((file) => [
    file.replaceAll("\\", "/"),
    titlesIn(readFileSync(file, "utf8")),
  ]),
);

for (const [name, tests] of Object.entries(pages)) {
  const file = `docs/${name}`;
  const page = readFileSync(file, "utf8");
  const { text, faults } = withLinks(page, { tests, lines, sections });
  if (faults.length > 0) {
    console.error(faults.map((fault) => `${file}: ${fault}`).join("\n"));
    process.exitCode = 1;
  } else if (!process.argv.includes("--check")) {
    writeFileSync(file, text);
  } else if (text !== page) {
    console.error(`${file} is out of date: run \`npm run links\``);
    process.exitCode = 1;
  }
}
