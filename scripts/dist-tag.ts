// `git tag | node scripts/dist-tag.ts v1.2.3`: prints npm's tag for this version. `npm install` gets `latest`, so neither
// a prerelease nor a later patch of an older major may have it. Fails if a newer version of the same major is out: the
// image's tag of that major would go back.
import { text } from "node:stream/consumers";

const VERSION = /^v\d+\.\d+\.\d+(?:-.+)?$/;

const [tag = ""] = process.argv.slice(2);
const tags = (await text(process.stdin)).split("\n");
const isPrerelease = tag.includes("-");
const newer = tags.filter(
  (other) =>
    VERSION.test(other) &&
    !other.includes("-") &&
    other.localeCompare(tag, "en", { numeric: true }) > 0,
);
const [major = ""] = tag.split(".");
const inMajor = newer.find((other) => other.startsWith(`${major}.`));
if (!VERSION.test(tag) || !tags.includes(tag)) {
  console.error(`There is no tag ${tag} of a version.`);
  process.exitCode = 1;
} else if (inMajor !== undefined && !isPrerelease) {
  console.error(`${inMajor} is out. Release a version above it.`);
  process.exitCode = 1;
} else if (isPrerelease) console.log("next");
else console.log(newer.length === 0 ? "latest" : `latest-${major.slice(1)}`);
