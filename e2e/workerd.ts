// Serves a Worker with workerd alone. Clients connect to the Worker directly, while `npm start` puts a proxy and a bundler
// in front of it.
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { childrenOf } from "./processes.ts";

type Options = Parameters<typeof convertV4MiniflareOptions>[0];

/** A running workerd. */
interface Workerd {
  readonly miniflare: Miniflare;
  readonly port: number;
  /** Its process; `undefined` on systems without /proc. */
  readonly pid: number | undefined;
}

/** Starts workerd on a free port. @param options of Miniflare: the Worker and its bindings */
export async function startWorkerd(options: Options): Promise<Workerd> {
  const before = new Set(childrenOf(process.pid));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.ERROR),
      cf: false,
      telemetry: { enabled: false },
      modulesRoot: "/",
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      ...options,
    }),
  );
  try {
    await miniflare.ready;
    const [pid] = new Set(childrenOf(process.pid)).difference(before);
    return { miniflare, port: Number((await miniflare.unsafeGetDirectURL()).port), pid };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}
