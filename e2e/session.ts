// Pastes docs/session.md into a shell. Only the address differs.
import { deepStrictEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "../scripts/programs.ts";

interface Step {
  readonly commands: string;
  /** What the page shows below them. */
  readonly output: string;
}

/** The blocks of commands, each with the block of its output. */
function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  for (const [, kind, text = ""] of page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    if (kind === "bash") steps.push({ commands: text, output: "" });
    else if (kind === "text") steps.push({ ...(steps.pop() ?? { commands: "" }), output: text });
    else throw new Error(`the session has a block of ${kind}`);
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

/** Walks through the session. @throws AssertionError where an answer is not what the page shows */
export async function walkSession(origin: string): Promise<number> {
  const steps = stepsOf(readFileSync(join(ROOT, "docs", "session.md"), "utf8"));
  const commands = steps.map((step) => step.commands.replaceAll("http://localhost:8787", origin));
  const { stdout } = await run("bash", ["-c", commands.join("printf '\\0'\n")]);
  deepStrictEqual(
    stdout.split("\0").map(comparable),
    steps.map(({ output }) => comparable(output)),
  );
  return steps.length;
}
