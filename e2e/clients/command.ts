import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";

export const HERE = import.meta.dirname;
export const ROOT = join(HERE, "..", "..");
export const GENERATED = join(HERE, "generated");
const LIMIT_MS = 120_000;

/** Runs a command, and prints what it said where it fails. @throws Error then, and where it takes too long */
export async function run(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const bin = [HERE, ROOT].map((folder) => join(folder, "node_modules", ".bin"));
  const child = spawn(command.replace(/^npx /, "exec "), {
    cwd,
    env: { ...process.env, PATH: [...bin, process.env["PATH"]].join(delimiter), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    shell: true,
    timeout: LIMIT_MS,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  const [status] = (await once(child, "close")) as [number | null];
  if (status === 0) return;
  console.error(said);
  throw new Error(`failed: ${command}`);
}
