// Runs other programs.
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, "..");

/** How a program ended, and what it printed. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  /** Where it runs; default: the folder of the project. */
  readonly folder?: string;
  /** Variables besides those of this process; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether a shell reads `file`. */
  readonly shell?: boolean;
  /** Milliseconds after which it is ended. */
  readonly timeout?: number;
}

const optionsOf = (
  file: string,
  // npm's commands are scripts on Windows.
  {
    folder = ROOT,
    env,
    shell = process.platform === "win32" && file !== process.execPath,
    timeout,
  }: Options,
) => ({
  cwd: folder,
  env: { ...process.env, ...env },
  shell,
  encoding: "utf8" as const,
  maxBuffer: 1 << 28,
  ...(timeout !== undefined && { timeout }),
});

/** Runs a program without blocking this one, which may have a server to read from. */
export async function run(
  file: string,
  args: readonly string[],
  options: Options = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(file, args, optionsOf(file, options), (_, stdout, stderr) => {
      resolve({ status: child.exitCode ?? 1, stdout, stderr });
    });
    child.stdin?.end();
  });
}

interface SyncOptions extends Options {
  /** Whether it prints, and may ask, rather than give what it printed. */
  readonly shows?: boolean;
  /** What it reads. */
  readonly input?: string;
}

/** Runs a program and waits for it. */
export function runSync(
  file: string,
  args: readonly string[],
  { shows = false, input, ...options }: SyncOptions = {},
): Ended {
  const { status, stdout, stderr } = spawnSync(file, args, {
    ...optionsOf(file, options),
    stdio: shows ? "inherit" : "pipe",
    ...(input !== undefined && { input }),
  });
  return { status: status ?? 1, stdout: stdout ?? "", stderr: stderr ?? "" };
}

/** Runs a program and waits for it. @returns what it printed @throws Error where it fails, with all that it printed */
export function outputOf(file: string, args: readonly string[], options?: SyncOptions): string {
  const { status, stdout, stderr } = runSync(file, args, options);
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} failed\n${stdout}${stderr}`);
  return stdout;
}

/** Runs a script of Node without blocking this one. */
export const runNode = async (args: readonly string[], options?: Options): Promise<Ended> =>
  run(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], options);
