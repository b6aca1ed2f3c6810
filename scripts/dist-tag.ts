// `git tag | node scripts/dist-tag.ts v1.2.3`: prints npm's tag for this version. Installs get `latest`, so a prerelease
// and a later patch of an older major have other tags. Fails if a newer version of the same major is out: the tags of
// npm and of the image would go back.
import { text } from "node:stream/consumers";

const VERSION = /^v(\d+)\.(\d+)\.(\d+)(-.+)?$/;

/** The numbers of a released version; `undefined` for a prerelease. */
function numbersOf(tag: string): readonly number[] | undefined {
  const [, major, minor, patch, prerelease] = VERSION.exec(tag) ?? [];
  return major === undefined || prerelease !== undefined
    ? undefined
    : [major, minor, patch].map(Number);
}

const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((number, index) => number - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;

const [tag = ""] = process.argv.slice(2);
const tags = (await text(process.stdin)).split("\n");
const mine = numbersOf(tag);
const newer = tags.filter((other) => mine && compare(numbersOf(other) ?? [0, 0, 0], mine) > 0);
const inMajor = newer.find((other) => numbersOf(other)?.[0] === mine?.[0]);
if (!VERSION.test(tag) || !tags.includes(tag)) {
  console.error(`There is no tag ${tag} of a version.`);
  process.exitCode = 1;
} else if (inMajor !== undefined) {
  console.error(`${inMajor} is out. Release a version above it.`);
  process.exitCode = 1;
} else if (!mine) {
  console.log("next");
} else console.log(newer.length === 0 ? "latest" : `latest-${mine[0]}`);
