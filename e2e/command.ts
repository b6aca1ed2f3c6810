// Runs a script as its own process, without blocking this one, which may have a server to read from.
import { execFile } from "node:child_process";
import { ROOT } from "./wrangler.ts";

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of Node with its arguments, in the folder of the package. */
export async function runNode(args: readonly string[]): Promise<Ended> {
  return runIn(ROOT, args);
}

/** The same in another folder. */
export async function runIn(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  return run(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], { folder, env });
}

/** Runs a program. */
export async function run(
  file: string,
  args: readonly string[],
  { folder = ROOT, env = process.env }: { folder?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env, maxBuffer: 1 << 28 };
    const child = execFile(file, args, options, (_, stdout, stderr) => {
      resolve({ status: child.exitCode ?? 1, stdout, stderr });
    });
    child.stdin?.end();
  });
}
