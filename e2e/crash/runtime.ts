// Serves the built Worker in workerd, with the bindings of wrangler.toml. served.ts starts this in a process group of its
// own, and kills that.
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { startWorkerd } from "../workerd.ts";

/** Sent to the parent once the Worker is served. */
export interface Notice {
  readonly port: number;
}

const [script = "", store = ""] = process.argv.slice(2);

// Nobody else would end this process without its parent.
process.once("disconnect", () => process.exit());

const { assets: _, ...worker } = workerOptionsOf("wrangler.toml", "local").workerOptions;

const { port } = await startWorkerd({
  ...worker,
  // The name that `npm start` uses. workerd stores objects under the name of their Worker.
  name: "pet-store-local",
  rootPath: "/",
  modules: [{ type: "ESModule", path: script }],
  // Where wrangler puts the data of `--persist-to`.
  resourcePersistencePath: `${store}/v3`,
});
process.send?.({ port } satisfies Notice);
