// Serves a Worker with workerd alone. Clients connect to the Worker directly, while `npm start` puts a proxy and a bundler
// in front of it.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";

type Options = Parameters<typeof convertV4MiniflareOptions>[0];

/** A text file that a bundled Worker imports, such as a migration. */
export interface TextModule {
  readonly type: "Text";
  readonly path: string;
}

/** The text files beside a bundled Worker. */
export function textsBeside(script: string): readonly TextModule[] {
  const folder = dirname(script);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => ({ type: "Text", path: join(folder, name) }));
}

/** Starts workerd on a free port. @param options of Miniflare: the Worker and its bindings */
export async function startWorkerd(
  options: Options,
): Promise<{ readonly miniflare: Miniflare; readonly port: number }> {
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
    return { miniflare, port: Number((await miniflare.unsafeGetDirectURL()).port) };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}
