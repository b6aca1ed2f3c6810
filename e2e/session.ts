// Runs the commands of the README and of docs/session.md in a shell, with the address of a test server.
import { deepStrictEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "../scripts/programs.ts";

/** The documents with a session. */
export const SESSIONS = ["README.md", "docs/session.md"];

const BLOCK = /^```(\w+)\n([^]*?)^```$/gm;

interface Step {
  readonly commands: string;
  /** The output that the document shows. */
  readonly output: string;
}

/** The blocks of commands, each with the output that follows. Other blocks are examples of code. */
function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  for (const [, kind, block = ""] of text.matchAll(BLOCK)) {
    if (kind === "bash") steps.push({ commands: block, output: "" });
    if (kind === "text") steps.push({ commands: "", ...steps.pop(), output: block });
  }
  return steps;
}

const read = (document: string) => readFileSync(join(ROOT, document), "utf8");

/** What differs each time. */
const RANDOM: readonly (readonly [RegExp, string])[] = [
  [/^ETag: "\d+"$/gm, 'ETag: "N"'],
  [/^(X-Expires-After|X-Request-Id|x-d1-bookmark): .*$/gm, "$1: V"],
  [/session([:=])[\w-]{43}/g, "session$1V"],
];

/** What also depends on the data of the store. */
const VARIES: readonly (readonly [RegExp, string])[] = [
  ...RANDOM,
  [/"(id|petId|available|pending|sold)":\d+/g, '"$1":N'],
  [/^Content-Length: \d+$/gm, "Content-Length: N"],
  [/^(Content-Location: .*\/)\d+$/gm, "$1N"],
  [/"message":"\d+"/g, '"message":"N"'],
];

const without = (varying: typeof RANDOM, text: string) =>
  varying.reduce((changed, [pattern, same]) => changed.replace(pattern, same), text);

const comparable = (text: string) => without(VARIES, text).trim();

/** Runs all steps. @returns the output of each */
async function take(steps: readonly Step[], origin: string): Promise<string[]> {
  const commands = steps.map((step) => step.commands.replaceAll("http://localhost:8787", origin));
  const { stdout } = await run("bash", ["-c", commands.join("printf '\\0'\n")]);
  return stdout.split("\0").map((output) => `${output.replaceAll("\r", "").trim()}\n`);
}

/** Runs all steps on any store. @throws AssertionError if an output differs from the document */
export async function walkSession(origin: string): Promise<number> {
  const steps = SESSIONS.map(read).flatMap(stepsOf);
  deepStrictEqual(
    (await take(steps, origin)).map(comparable),
    steps.map(({ output }) => comparable(output)),
  );
  return steps.length;
}

/** Runs all steps of a document on a new store. @returns the document with the new output, unless only random parts differ */
export async function documentWith(document: string, origin: string): Promise<string> {
  const text = read(document);
  const printed = await take(stepsOf(text), origin);
  let step = -1;
  return text.replaceAll(BLOCK, (whole, kind: string, shown: string) => {
    if (kind === "bash") step += 1;
    const output = printed[step];
    if (kind !== "text" || output === undefined) return whole;
    if (without(RANDOM, output) === without(RANDOM, shown)) return whole;
    return whole.replace(shown, () => output);
  });
}
