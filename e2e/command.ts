// Runs a script of this package as its own process, without blocking this one, which may have a server to read from.
import { execFile } from "node:child_process";
import { ROOT } from "./wrangler.ts";

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node with these arguments, in the folder of the package. */
export async function runNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  return run(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], env);
}

/** Runs a program, in the folder of the package. */
export async function run(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { cwd: ROOT, env, maxBuffer: 1 << 28 },
      (_, stdout, stderr) => {
        resolve({ status: child.exitCode ?? 1, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}
