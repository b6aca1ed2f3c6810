// Pastes the commands of the README and of docs/session.md into a shell. Only the address differs.
import { deepStrictEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "../scripts/programs.ts";

interface Step {
  readonly commands: string;
  /** What the document shows below them. */
  readonly output: string;
}

/** The blocks of commands, each with the block of its output. Other blocks are examples of code. */
function stepsOf(document: string): Step[] {
  const steps: Step[] = [];
  const text = readFileSync(join(ROOT, document), "utf8");
  for (const [, kind, block = ""] of text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    if (kind === "bash") steps.push({ commands: block, output: "" });
    if (kind === "text") steps.push({ commands: "", ...steps.pop(), output: block });
  }
  return steps;
}

/** What differs from store to store, and from time to time. */
const VARIES: readonly (readonly [RegExp, string])[] = [
  [/\r/g, ""],
  [/"(id|petId|available|pending|sold)":\d+/g, '"$1":N'],
  [/^(Content-Length|X-Rate-Limit): \d+$/gm, "$1: N"],
  [/^(Content-Location: .*\/)\d+$/gm, "$1N"],
  [/^ETag: "\d+"$/gm, 'ETag: "N"'],
  [/^(X-Expires-After|X-Request-Id|x-d1-bookmark): .*$/gm, "$1: V"],
  [/session([:=])[\w-]{43}/g, "session$1V"],
  [/"message":"\d+"/g, '"message":"N"'],
];

function comparable(text: string): string {
  return VARIES.reduce((changed, [pattern, same]) => changed.replace(pattern, same), text).trim();
}

/** Takes every step. @throws AssertionError where an answer is not what the document shows */
export async function walkSession(origin: string): Promise<number> {
  const steps = ["README.md", "docs/session.md"].flatMap(stepsOf);
  const commands = steps.map((step) => step.commands.replaceAll("http://localhost:8787", origin));
  const { stdout } = await run("bash", ["-c", commands.join("printf '\\0'\n")]);
  deepStrictEqual(
    stdout.split("\0").map(comparable),
    steps.map(({ output }) => comparable(output)),
  );
  return steps.length;
}
