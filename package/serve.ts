// The server process: Miniflare runs the Worker in workerd, as `wrangler dev` does.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import type { Json, Miniflare, V4WorkerOptions } from "miniflare";
import { isMarked, isPrepared, mark, readMigrations } from "./migrations.ts";
import { claim } from "./port.ts";
import type { Notice, ServerOptions } from "./server.ts";

type Limits = NonNullable<V4WorkerOptions["ratelimits"]>;

/** What the package takes from wrangler.toml. */
export interface Configuration {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
  /** Those of `npm start`. */
  readonly vars: Readonly<Record<string, string>>;
  /** The paths of the assets that come before the Worker. */
  readonly pages: string[];
  readonly limits: Limits;
  /** Production's limits of attempts at a password. */
  readonly attempts: Limits;
}

/** The modules of the Worker are its bundle and the SQL that this imports. */
const isText = (name: string) => name.endsWith(".sql");

const HERE = import.meta.dirname;

/** How long workerd may take to end, in milliseconds. */
const STOP_MS = 5000;

/** Removes URLs, which may contain passwords, and what could control a terminal. */
const printable = (text: string) => text.replaceAll(/https?:\/\/\S*/g, "(a URL)").replaceAll(/[^\P{Cc}\n]/gu, "?");

/** Prints what the Worker logs: errors, and with `log` a line for each request. */
function show(level: string, message: string, log: boolean): void {
  const [json] = /^\{"requestId":.*\}$/.exec(message) ?? [];
  const { method, route, status, ms, error } = JSON.parse(json ?? "{}") as Record<string, string>;
  // Only a fault of the service has an error.
  if (json !== undefined && error === undefined) {
    // Health checks would fill the log.
    if (log && route !== "/health") console.log(printable(`${method} ${route} ${status} ${ms} ms`));
  } else if (level === "error") {
    console.error(printable(message));
  }
}

/** Node's own recursive `mkdir` never returns below `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** Makes the folder of `--keep`. @throws Error if nothing can be kept there */
function makeKeep(folder: string): void {
  try {
    makeFolder(folder);
    rmdirSync(mkdtempSync(join(folder, "try-")));
  } catch (error) {
    throw new Error(`${folder} cannot keep the data: ${(error as Error).message}`, { cause: error });
  }
}

async function start(options: ServerOptions): Promise<{ miniflare: Miniflare; origin: string }> {
  const { host, publicUrl, access = "open", apiKey, sandboxes, data, keep, log = false } = options;
  // What workerd writes is for this user alone, because the key that seals the passwords is public.
  process.umask(0o077);
  if (keep !== undefined) makeKeep(keep);
  const port = await claim(options.port, host);
  const { compatibilityDate, compatibilityFlags, vars, pages, limits, attempts } = JSON.parse(
    readFileSync(join(HERE, "worker.json"), "utf8"),
  ) as Configuration;
  const migrations = readMigrations(join(HERE, "migrations"));
  // Loading Miniflare takes half of the start. With Node's cache, compiling it is left out.
  enableCompileCache();
  const { Log, LogLevel, Miniflare, convertV4MiniflareOptions } = await import("miniflare");
  const isKept = keep !== undefined && isPrepared(keep, migrations);
  const preparation: Json = {
    migrations: migrations.map((each) => ({ ...each })),
    // It came as JSON.
    data: (typeof data === "string" ? { data } : data) as Json,
    isNew: keep === undefined || !isMarked(keep),
  };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "pet-store",
      compatibilityDate,
      compatibilityFlags,
      modulesRoot: join(HERE, "worker"),
      // The entry comes first.
      modules: ["worker.js", ...readdirSync(join(HERE, "worker")).filter(isText)].map((name) => ({
        type: isText(name) ? ("Text" as const) : ("ESModule" as const),
        path: join(HERE, "worker", name),
      })),
      bindings: {
        ...vars,
        ACCESS: access,
        API_KEY: apiKey ?? "",
        // Nothing stands in front that would write CF-Connecting-IP.
        BEHIND_CLOUDFLARE: "no",
        PUBLIC_URL: publicUrl ?? "",
        SANDBOX_CREATION: sandboxes ?? "",
        PAGES: pages,
        IS_QUIET: !log,
        ...(!isKept && { PREPARATION: preparation }),
      },
      kvNamespaces: ["SESSIONS"],
      r2Buckets: ["IMAGES"],
      durableObjects: {
        SANDBOXES: { className: "Sandbox", useSQLite: true },
        DATABASE: { className: "Database", useSQLite: true },
      },
      // They take time: only where a password is worth guessing.
      ratelimits: access === "protected" ? { ...limits, ...attempts } : limits,
      assets: { directory: join(HERE, "site"), binding: "ASSETS" },
      // Not `host` and `port`: Miniflare's own entry takes a third of the time of a request, and lets clients rewrite the
      // URL, the scheme and their address by headers. Now that entry has a random port of the loopback interface.
      unsafeDirectSockets: [{ host, port, entrypoint: "direct" }],
      ...(keep !== undefined && { resourcePersistencePath: keep }),
      cf: false,
      log: new Log(LogLevel.ERROR),
      logRequests: false,
      handleStructuredLogs: ({ level, message }) => show(level, message, log),
      telemetry: { enabled: false },
    }),
  );
  const { origin } = await miniflare.unsafeGetDirectURL(undefined, "direct");
  // Prepares the store.
  const first = await fetch(`${origin}/health`);
  if (!first.ok) throw new Error(await first.text());
  if (keep !== undefined) mark(keep, migrations);
  return { miniflare, origin };
}

const tell = async (notice: Notice) =>
  new Promise<void>((resolve) => process.send?.(notice, undefined, {}, () => resolve()));

const { promise: left, resolve: leave } = Promise.withResolvers<void>();
process.once("disconnect", leave);
// systemd and others signal every process, not only the parent.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => leave());

process.once("message", (options: ServerOptions) => {
  void start(options)
    .then(async ({ miniflare, origin }) => {
      await miniflare.ready;
      await tell({ origin });
      await left;
      setTimeout(() => process.exit(1), STOP_MS).unref();
      await miniflare.dispose();
      process.exit();
    })
    .catch(async ({ code, message }: NodeJS.ErrnoException) => {
      await tell({ code, message });
      process.exit(1);
    });
});
