import { delimiter, join } from "node:path";
import { ROOT, run } from "../../scripts/programs.ts";

export const HERE = import.meta.dirname;
export const GENERATED = join(HERE, "generated");
/** Long, because machines may be busy. */
const LIMIT_MS = 600_000;

/** Runs a command. @throws Error if it fails or takes too long, after printing its output */
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
