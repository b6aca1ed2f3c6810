// Runs other programs.
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, "..");

/** The environment of each wrangler that works on this machine. It asks nothing, reports nothing, and works offline. */
export const WRANGLER_ENV = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  // Wrangler's explorer would let pages at any port of this machine read and change the store.
  X_LOCAL_EXPLORER: "false",
  // Wrangler spends most of its start on compiling its own code.
  NODE_COMPILE_CACHE: join(ROOT, "node_modules", ".cache", "compiled"),
} as const;

/** The result of a program. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  /** The working directory; defaults to the folder of the project. */
  readonly folder?: string;
  /** Added to the environment of this process; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Run the command in a shell; defaults to true for npm's commands on Windows, which are scripts there. */
  readonly shell?: boolean;
  /** Ends the program after this many milliseconds. */
  readonly timeout?: number;
}

const optionsOf = (
  file: string,
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

/** Runs a program. Does not block, so this process can serve requests meanwhile. */
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
  /** Connect the program to the terminal instead of returning its output. */
  readonly shows?: boolean;
  /** Its standard input. */
  readonly input?: string;
}

/** Runs a program, and blocks until it ends. */
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

/** Runs a program, and blocks until it ends. @returns its output @throws Error with its output, if it fails */
export function outputOf(file: string, args: readonly string[], options?: SyncOptions): string {
  const { status, stdout, stderr } = runSync(file, args, options);
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} failed\n${stdout}${stderr}`);
  return stdout;
}

/** Runs a script in Node. Does not block. */
export const runNode = async (args: readonly string[], options?: Options): Promise<Ended> =>
  run(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], options);
