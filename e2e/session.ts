// Pastes the commands of the README and of docs/session.md into a shell. Only the address differs.
import { deepStrictEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "../scripts/programs.ts";

/** The documents that show a session. */
export const SESSIONS = ["README.md", "docs/session.md"];

const BLOCK = /^```(\w+)\n([^]*?)^```$/gm;

interface Step {
  readonly commands: string;
  /** What the document shows below them. */
  readonly output: string;
}

/** The blocks of commands, each with the block of its output. Other blocks are examples of code. */
function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  for (const [, kind, block = ""] of text.matchAll(BLOCK)) {
    if (kind === "bash") steps.push({ commands: block, output: "" });
    if (kind === "text") steps.push({ commands: "", ...steps.pop(), output: block });
  }
  return steps;
}

const read = (document: string) => readFileSync(join(ROOT, document), "utf8");

/** What differs from time to time, on any store. */
const RANDOM: readonly (readonly [RegExp, string])[] = [
  [/^ETag: "\d+"$/gm, 'ETag: "N"'],
  [/^(X-Expires-After|X-Request-Id|x-d1-bookmark): .*$/gm, "$1: V"],
  [/session([:=])[\w-]{43}/g, "session$1V"],
];

/** What differs from store to store, too. */
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

/** Takes every step. @returns what each printed */
async function take(steps: readonly Step[], origin: string): Promise<string[]> {
  const commands = steps.map((step) => step.commands.replaceAll("http://localhost:8787", origin));
  const { stdout } = await run("bash", ["-c", commands.join("printf '\\0'\n")]);
  return stdout.split("\0").map((output) => `${output.replaceAll("\r", "").trim()}\n`);
}

/** Takes every step, on any store. @throws AssertionError where an answer is not what the document shows */
export async function walkSession(origin: string): Promise<number> {
  const steps = SESSIONS.map(read).flatMap(stepsOf);
  deepStrictEqual(
    (await take(steps, origin)).map(comparable),
    steps.map(({ output }) => comparable(output)),
  );
  return steps.length;
}

/** Takes every step of a document on a new store. @returns the document with what was printed, but for what is random */
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
