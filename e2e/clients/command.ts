import { delimiter, join } from "node:path";
import { ROOT, run } from "../../scripts/programs.ts";

export const HERE = import.meta.dirname;
export const GENERATED = join(HERE, "generated");
const LIMIT_MS = 120_000;

/** Runs a command, and prints what it said where it fails. @throws Error then, and where it takes too long */
export async function runCommand(
  command: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const bin = [HERE, ROOT].map((each) => join(each, "node_modules", ".bin"));
  const PATH = [...bin, process.env["PATH"]].join(delimiter);
  const { status, stdout, stderr } = await run(command.replace(/^npx /, "exec "), [], {
    folder,
    env: { PATH, ...env },
    shell: true,
    timeout: LIMIT_MS,
  });
  if (status === 0) return;
  console.error(`${stdout}${stderr}`);
  throw new Error(`failed: ${command}`);
}
