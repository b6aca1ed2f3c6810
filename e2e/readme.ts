// Runs the commands of the README and of docs/ as they stand, against a new `npm start`, and compares their output with the
// one that the page shows. A block of `bash` is a step, and a block of `text` after it the output. All steps of a page run
// in one shell. Blocks of `sh` do not run.
import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run, withServer } from "./server.ts";

const BLOCK = /^```(\w+)\n([^]*?)^```$/gm;

/** A file that a page shows: a comment with its path, and a block. */
const SHOWN = /^<!-- (examples\/\S+) -->\n+```\w*\n([^]*?)^```$/gm;

/** What may differ each time, or depends on what a store has. */
const VARIES: readonly (readonly [RegExp, string])[] = [
  [/"(id|petId|available|pending|sold)":\d+/g, '"$1":N'],
  [/"message":"\d+"/g, '"message":"N"'],
  [/^(ETag: ").*"/gim, '$1N"'],
  [/^(Content-Location: .*\/)\d+$/gim, "$1N"],
  [/^(Content-Length|Date|X-Expires-After|X-Request-Id|x-d1-bookmark): .*$/gim, "$1: V"],
  [/session([:=])[\w-]{43}/g, "session$1V"],
  [/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "UUID"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME"],
];

const comparable = (text: string) =>
  VARIES.reduce((varied, [pattern, same]) => varied.replace(pattern, same), text)
    .replaceAll("\r", "")
    .trim();

interface Step {
  readonly commands: string;
  /** What the page shows, if it shows anything. */
  readonly output?: string;
}

function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  let previous = "";
  for (const [, kind = "", content = ""] of page.matchAll(BLOCK)) {
    if (kind === "bash") steps.push({ commands: content });
    const step = steps.at(-1);
    if (kind === "text" && previous === "bash" && step) {
      steps[steps.length - 1] = { ...step, output: content };
    }
    previous = kind;
  }
  return steps;
}

/** @returns how many steps the page has */
async function walk(page: string, text: string, origin: string): Promise<number> {
  const steps = stepsOf(text);
  if (steps.length === 0) return 0;
  // A NUL after each step separates the outputs.
  const script = steps.map(({ commands }) => `${commands}\nprintf '\\0'\n`).join("");
  const here = script.replaceAll("http://localhost:8787", origin);
  const { status, output } = await run(["bash", "-euo", "pipefail", "-c", here]);
  const outputs = output.replaceAll(origin, "http://localhost:8787").split("\0");
  equal(status, 0, `${page}, step ${outputs.length} fails:\n${outputs.at(-1)}`);
  for (const [index, { commands, output: shown }] of steps.entries()) {
    if (shown === undefined) continue;
    const found = comparable(outputs[index] ?? "").split("\n");
    deepEqual(found, comparable(shown).split("\n"), `${page}:\n${commands}\n${outputs[index]}`);
  }
  return steps.length;
}

const docs = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...docs.map((name) => `docs/${name}`)].map((name) => {
  return { name, text: readFileSync(join(ROOT, name), "utf8") };
});

for (const { name, text } of pages) {
  for (const [, path = "", shown] of text.matchAll(SHOWN)) {
    equal(shown, readFileSync(join(ROOT, path), "utf8"), `${name} shows ${path}`);
    console.log(`ok  ${name} shows ${path} as it is`);
  }
}
await withServer(async (origin) => {
  let steps = 0;
  for (const { name, text } of pages) {
    const count = await walk(name, text, origin);
    steps += count;
    if (count > 0) console.log(`ok  ${count} steps of ${name}`);
  }
  ok(steps > 0, "the pages have no steps");
});
