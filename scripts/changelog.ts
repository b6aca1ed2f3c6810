// Prepares the changelog for a release. `npm version` runs `release` before it changes anything, which turns the
// section [Unreleased] into that of the new version. The release workflow runs `notes <tag>`, which prints the
// section of the tagged version with absolute links.
import { readFileSync, writeFileSync } from "node:fs";

const CHANGELOG = "CHANGELOG.md";
const UNRELEASED = "## [Unreleased]\n";

const changelog = readFileSync(CHANGELOG, "utf8");

/** The section of a version. @throws Error if it has only headings */
function sectionOf(version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const found = sections.find((section) => section.startsWith(`[${version}]`)) ?? "";
  const content = found.slice(found.indexOf("\n")).trim();
  if (!/^[^#\s]/m.test(content)) throw new Error(`${CHANGELOG} says nothing of [${version}].`);
  return content;
}

function release(version: string): void {
  sectionOf("Unreleased");
  const [date] = new Date().toISOString().split("T");
  const heading = `${UNRELEASED}\n## [${version}] - ${date}\n`;
  writeFileSync(CHANGELOG, changelog.replace(UNRELEASED, heading));
}

function notes(tag: string): string {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and the package is ${version}.`);
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  const files = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/blob/${tag}/`;
  return sectionOf(version).replaceAll(/(?<=\]\()(?!https?:)/g, files);
}

const [does, tag = ""] = process.argv.slice(2);
try {
  if (does === "release") release(process.env["npm_new_version"] ?? "");
  else if (does === "notes") console.log(notes(tag));
  else throw new Error("Usage: changelog.ts release | notes <tag>");
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
