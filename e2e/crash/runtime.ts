// Serves the built Worker by workerd, with the bindings of wrangler.toml and none of wrangler's tooling
// around it. Started by served.ts in a process group of its own, which is what gets killed.
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { startWorkerd, textsBeside } from "../workerd.ts";

/** What the parent is told once it is served. */
export interface Notice {
  /** When workerd was about to be started. */
  readonly startedAt: number;
  readonly port: number;
}

const [script = "", store = ""] = process.argv.slice(2);

// Without the parent nobody would end this process.
process.once("disconnect", () => process.exit());

const { assets: _, ...worker } = workerOptionsOf("wrangler.toml", "local").workerOptions;

const startedAt = Date.now();
const { port } = await startWorkerd({
  ...worker,
  // As `npm start` names it: workerd keeps objects under the name of their Worker.
  name: "pet-store-local",
  rootPath: "/",
  modules: [{ type: "ESModule", path: script }, ...textsBeside(script)],
  // Where wrangler keeps what `--persist-to` names.
  resourcePersistencePath: `${store}/v3`,
});
process.send?.({ startedAt, port } satisfies Notice);
