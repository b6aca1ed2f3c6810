// Starts and kills the server of the built Worker.
import { once } from "node:events";
import { join } from "node:path";
import { succeed } from "../http.ts";
import { Program } from "../process.ts";
import { childrenOf, cpuTime } from "../processes.ts";
import type { Notice } from "./runtime.ts";

/** Long, because machines may be busy. */
const START_MS = 300_000;

/** A running service. */
export interface Served {
  /** The address with the base path. */
  readonly url: string;
  /** CPU time of workerd until its first 200, in milliseconds. 0 on systems without /proc. */
  readonly startMs: number;
  /** Kills all its processes at once. */
  kill(): Promise<void>;
}

/** Serves a built Worker with the data in a folder. @param base path that must answer */
export async function serve(script: string, store: string, base: string): Promise<Served> {
  const runtime = join(import.meta.dirname, "runtime.ts");
  const server = new Program([process.execPath, runtime, script, store], { logs: "faults" });
  try {
    const signal = AbortSignal.timeout(START_MS);
    const [{ port }] = (await once(server.child, "message", { signal })) as [Notice];
    const url = `http://127.0.0.1:${port}${base}`;
    await succeed(url, "GET /store/inventory");
    const [workerd = NaN] = childrenOf(server.child.pid);
    return { url, startMs: Math.round(cpuTime(workerd) / 1e6), kill: async () => server.kill() };
  } catch (error) {
    await server.kill();
    throw new Error(`the service does not start\n${server.log}`, { cause: error });
  }
}
