// Builds the Worker, and starts and kills what serves it.
import { fork, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Notice } from "./runtime.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const START_MS = 60_000;
const LOG_CHARACTERS = 4000;

/** A running service. */
export interface Served {
  readonly origin: string;
  /** From the start of workerd to the first 200, in milliseconds. */
  readonly startMs: number;
  /** SIGKILL to every process of it, at once. */
  kill(): Promise<void>;
  /** The end of what it wrote to stderr. */
  log(): string;
}

function wrangler(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), ...args],
    {
      cwd: ROOT,
      encoding: "utf8",
      // CI: nothing is asked.
      env: {
        ...process.env,
        CI: "true",
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        WRANGLER_SEND_METRICS: "false",
      },
    },
  );
  if (status !== 0) throw new Error(`wrangler ${args.join(" ")} failed\n${stdout}${stderr}`);
}

/** Bundles the Worker into a folder. @returns the path of its one module */
export function build(folder: string): string {
  wrangler("deploy", "--dry-run", "--env", "", "--outdir", folder);
  return join(folder, "index.js");
}

/** Makes the database in a folder, as `npm start` does. */
export function migrate(store: string): void {
  wrangler("d1", "migrations", "apply", "DB", "--local", "--persist-to", store);
}

/** Serves a built Worker from what is in a folder. */
export async function serve(script: string, store: string): Promise<Served> {
  const child = fork(join(import.meta.dirname, "runtime.ts"), [script, store], {
    cwd: ROOT,
    env: { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: "false" },
    // The service logs a line for every request to stdout.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    // A process group of its own, so that workerd is killed with it.
    detached: true,
  });
  let log = "";
  child.stderr
    ?.setEncoding("utf8")
    .on("data", (text: string) => (log = (log + text).slice(-LOG_CHARACTERS)));
  const kill = async () => killGroup(child);
  try {
    const { startedAt, port } = await readiness(child);
    const origin = `http://127.0.0.1:${port}`;
    await answers(origin);
    return { origin, startMs: Date.now() - startedAt, kill, log: () => log };
  } catch (error) {
    await kill();
    throw new Error(`the service does not start\n${log}`, { cause: error });
  }
}

async function readiness(child: ChildProcess): Promise<{ startedAt: number; port: number }> {
  let startedAt = NaN;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("message", (notice: Notice) => {
    if (notice.kind === "ready") resolve(notice.port);
    else startedAt = notice.at;
  });
  child.once("exit", () => reject(new Error("the process ended")));
  const timer = setTimeout(() => reject(new Error("no notice in time")), START_MS);
  try {
    return { port: await promise, startedAt };
  } finally {
    clearTimeout(timer);
  }
}

/** One request, which waits for as long as the service takes to answer it. */
async function answers(origin: string): Promise<void> {
  const { status, body } = await fetch(`${origin}/v2/store/inventory`, {
    signal: AbortSignal.timeout(START_MS),
  });
  await body?.cancel();
  if (status !== 200) throw new Error(`the first answer is ${status}`);
}

async function killGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  process.kill(-pid, "SIGKILL");
  await exited;
}
