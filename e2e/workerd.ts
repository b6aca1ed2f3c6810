// Serves a Worker with workerd alone. Clients connect to the Worker directly, while `npm start` puts a proxy and a bundler
// in front of it.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
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

/** A module, as Miniflare takes it. */
export interface Module {
  readonly type: "ESModule" | "Text";
  readonly path: string;
  readonly contents: string;
}

/**
 * The modules of a bundled Worker: its code, and the SQL that it imports.
 * @param entry the file with the code
 * @param path of the code among the modules
 */
export function modulesIn(folder: string, entry = "index.js", path = entry): Module[] {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const texts = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return [
    { type: "ESModule", path, contents: read(entry) },
    ...texts.map((file) => ({ type: "Text" as const, path: file, contents: read(file) })),
  ];
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
