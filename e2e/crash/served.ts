// Serves the built Worker in workerd, with the bindings of wrangler.toml, and kills it.
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { stateIn } from "../../scripts/local-store.ts";
import { succeed } from "../http.ts";
import { modulesIn, startWorkerd } from "../workerd.ts";

/** A running service. */
export interface Served {
  /** The address with the base path. */
  readonly url: string;
  readonly kill: () => Promise<void>;
}

const { assets: _, ...worker } = workerOptionsOf("wrangler.toml", "local").workerOptions;

/** Serves the Worker that is bundled in one folder, with the data in another. @param base path that must answer */
export async function serve(bundled: string, folder: string, base: string): Promise<Served> {
  const { miniflare, port, pid } = await startWorkerd({
    ...worker,
    // The service logs every request. Print only errors.
    handleStructuredLogs: ({ level, message }) => {
      if (level === "error") console.error(message);
    },
    rootPath: "/",
    modules: modulesIn(bundled),
    resourcePersistencePath: stateIn(folder),
  });
  if (pid === undefined)
    throw new Error("the crash test needs Linux: it kills a process that /proc names");
  const url = `http://127.0.0.1:${port}${base}`;
  await succeed(url, "GET /store/inventory");
  return {
    url,
    kill: async () => {
      process.kill(pid, "SIGKILL");
      await miniflare.dispose();
    },
  };
}
