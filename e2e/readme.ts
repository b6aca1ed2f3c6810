// Runs the commands in the README and docs/ against a new `npm start`, and compares their output with the pages. A `bash`
// block is a step, and a `text` block after it is the expected output. All steps of a page run in one shell. `sh` blocks do
// not run.
import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, buildPackage, run, withServer } from "./server.ts";

const BLOCK = /^```(\w+)\n([^]*?)^```$/gm;

/** A file included in a page: a comment with its path, and a code block. */
const INCLUDED = /^<!-- (examples\/\S+) -->\n+```\w*\n([^]*?)^```$/gm;

/** Values that differ between runs, or depend on the stored data. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
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
  VARIABLE.reduce((result, [pattern, placeholder]) => result.replace(pattern, placeholder), text)
    .replaceAll("\r", "")
    .trim();

interface Step {
  readonly commands: string;
  /** The output that the page shows, if any. */
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

/** Runs the steps of a page. @returns their number */
async function runSteps(page: string, text: string, origin: string): Promise<number> {
  const steps = stepsOf(text);
  if (steps.length === 0) return 0;
  // A NUL after each step separates the outputs.
  const script = steps.map(({ commands }) => `${commands}\nprintf '\\0'\n`).join("");
  const local = script.replaceAll("http://localhost:8787", origin);
  const { status, output } = await run(["bash", "-euo", "pipefail", "-c", local]);
  const outputs = output.replaceAll(origin, "http://localhost:8787").split("\0");
  equal(status, 0, `${page}: step ${outputs.length} failed:\n${outputs.at(-1)}`);
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
  for (const [, path = "", shown] of text.matchAll(INCLUDED)) {
    equal(shown, readFileSync(join(ROOT, path), "utf8"), `${name} differs from ${path}`);
    console.log(`ok  ${name} includes ${path} unchanged`);
  }
}
// A step of the README installs it.
await buildPackage();
await withServer(async (origin) => {
  let steps = 0;
  for (const { name, text } of pages) {
    const count = await runSteps(name, text, origin);
    steps += count;
    if (count > 0) console.log(`ok  ${count} steps in ${name}`);
  }
  ok(steps > 0, "the pages contain no steps");
});
