// Serves the built Worker by workerd, with the bindings of wrangler.toml and none of wrangler's tooling
// around it. Started by served.ts in a process group of its own, which is what gets killed.
//
// `npm start` runs the same workerd on the same files, behind a proxy and a bundler that watches.
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";

/** What the parent is told. */
export type Notice =
  /** workerd is about to be started. */
  | { readonly kind: "starting"; readonly at: number }
  | { readonly kind: "ready"; readonly port: number };

const [script = "", store = ""] = process.argv.slice(2);
const tell = (notice: Notice) => process.send?.(notice);

// Without the parent nobody would end this process.
process.once("disconnect", () => process.exit());

const { assets: _, ...worker } = workerOptionsOf("wrangler.toml").workerOptions;
const options = convertV4MiniflareOptions({
  ...worker,
  log: new Log(LogLevel.ERROR),
  cf: false,
  telemetry: { enabled: false },
  name: "pet-store",
  rootPath: "/",
  modulesRoot: "/",
  modules: [{ type: "ESModule", path: script }],
  // Where wrangler keeps what `--persist-to` names.
  resourcePersistencePath: `${store}/v3`,
  unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
});

tell({ kind: "starting", at: Date.now() });
const miniflare = new Miniflare(options);
await miniflare.ready;
const { port } = await miniflare.unsafeGetDirectURL();
tell({ kind: "ready", port: Number(port) });
