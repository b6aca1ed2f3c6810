// Starts and kills what serves the built Worker.
import { once } from "node:events";
import { join } from "node:path";
import { succeed } from "../http.ts";
import { Program } from "../process.ts";
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

/** Serves a built Worker from what is in a folder. @param base the base path that must answer */
export async function serve(script: string, store: string, base: string): Promise<Served> {
  const runtime = join(import.meta.dirname, "runtime.ts");
  const server = new Program([process.execPath, runtime, script, store], { logs: "faults" });
  try {
    const signal = AbortSignal.timeout(START_MS);
    const [{ startedAt, port }] = (await once(server.child, "message", { signal })) as [Notice];
    const url = `http://127.0.0.1:${port}${base}`;
    await succeed(url, "GET /store/inventory");
    return { url, startMs: Date.now() - startedAt, kill: async () => server.kill() };
  } catch (error) {
    await server.kill();
    throw new Error(`the service does not start\n${server.log}`, { cause: error });
  }
}
