// Builds the Worker, and starts and kills what serves it.
import { join } from "node:path";
import { ServerProcess } from "../process.ts";
import { wrangler } from "../wrangler.ts";
import type { Notice } from "./runtime.ts";

const START_MS = 60_000;

/** A running service. */
export interface Served {
  /** The base URL of the interface. */
  readonly url: string;
  /** From the start of workerd to the first 200, in milliseconds. */
  readonly startMs: number;
  /** SIGKILL to every process of it, at once. */
  kill(): Promise<void>;
}

/** Bundles the Worker into a folder. @returns the path of its one module */
export function build(folder: string): string {
  wrangler(["deploy", "--dry-run", "--env", "local", "--outdir", folder]);
  return join(folder, "index.js");
}

/** Makes the database in a folder, as `npm start` does. */
export function migrate(store: string): void {
  wrangler(["d1", "migrations", "apply", "DB", "--env", "local", "--local", "--persist-to", store]);
}

/** Serves a built Worker from what is in a folder. @param base the base path that must answer */
export async function serve(script: string, store: string, base: string): Promise<Served> {
  const runtime = join(import.meta.dirname, "runtime.ts");
  const server = new ServerProcess([runtime, script, store], { logs: "faults" });
  try {
    const { startedAt, port } = await readiness(server);
    const url = `http://127.0.0.1:${port}${base}`;
    await answers(url);
    return { url, startMs: Date.now() - startedAt, kill: async () => server.kill() };
  } catch (error) {
    await server.kill();
    throw new Error(`the service does not start\n${server.log}`, { cause: error });
  }
}

async function readiness({ child }: ServerProcess): Promise<{ startedAt: number; port: number }> {
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
async function answers(url: string): Promise<void> {
  const { status, body } = await fetch(`${url}/store/inventory`, {
    signal: AbortSignal.timeout(START_MS),
  });
  await body?.cancel();
  if (status !== 200) throw new Error(`the first answer is ${status}`);
}
