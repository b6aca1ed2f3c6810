// The server process: Miniflare runs the Worker in workerd, as `wrangler dev` does.
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import * as v from "valibot";
import { fieldErrors } from "../src/errors.ts";
import { Data } from "../src/sandbox/data.ts";
import type { Notice, ServerData, ServerOptions } from "./server.ts";
import { prepareStore } from "./store.ts";

/** What the package takes from wrangler.toml. */
export interface Configuration {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
  /** Those of `npm start`. */
  readonly vars: Readonly<Record<string, string>>;
  /** The paths that the Worker serves, rather than the assets. */
  readonly workerFirst: string[];
}

/** The modules of the Worker are its bundle and the SQL that this imports. */
const isText = (name: string) => name.endsWith(".sql");

const HERE = import.meta.dirname;

/** How long workerd may take to end, in milliseconds. */
const STOP_MS = 5000;

const parsed = (data: ServerData): Data => {
  const input = typeof data === "string" ? { data } : data;
  const { success, output, issues } = v.safeParse(Data, input);
  if (success) return output;
  const errors = fieldErrors(issues, "data").map(({ path, message }) => `${path} ${message}`);
  throw new Error(`The data is wrong: ${errors.join("; ")}`);
};

/** @returns a port that is free: for 0, any. @throws Error with a code, if it is in use, or the host not of this machine */
async function claim(port: number, host: string): Promise<number> {
  const listener = createServer().listen(port, host);
  await once(listener, "listening");
  const { port: free } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return free;
}

/** Removes URLs, which may contain passwords, and what could control a terminal. */
const printable = (text: string) => text.replaceAll(/https?:\/\/\S*/g, "(a URL)").replaceAll(/[^\P{Cc}\n]/gu, "?");

/** Prints what the Worker logs: errors, and with `log` a line for each request. */
function show(level: string, message: string, log: boolean): void {
  const [json] = /^\{"requestId":.*\}$/.exec(message) ?? [];
  const { method, route, status, ms, error } = JSON.parse(json ?? "{}") as Record<string, string>;
  // An answer on demand is logged as an error, but has none.
  if (json !== undefined && error === undefined) {
    // Health checks would fill the log.
    if (log && route !== "/health") console.log(printable(`${method} ${route} ${status} ${ms} ms`));
  } else if (level === "error") {
    console.error(printable(message));
  }
}

async function start(options: ServerOptions): Promise<{ miniflare: Miniflare; origin: string }> {
  const { host, publicUrl, access = "open", apiKey, sandboxes, keep, log = false } = options;
  const data = parsed(options.data);
  // What workerd writes is for this user alone, because the key that seals the passwords is public.
  process.umask(0o077);
  if (keep !== undefined) mkdirSync(keep, { recursive: true });
  const port = await claim(options.port, host);
  const { compatibilityDate, compatibilityFlags, vars, workerFirst } = JSON.parse(
    readFileSync(join(HERE, "worker.json"), "utf8"),
  ) as Configuration;
  const simple = { limit: Number(vars["REQUESTS_PER_MINUTE"]), period: 60 } as const;
  const optionsAt = (at: number) =>
    convertV4MiniflareOptions({
      name: "pet-store",
      compatibilityDate,
      compatibilityFlags,
      modulesRoot: join(HERE, "worker"),
      // The entry comes first.
      modules: ["index.js", ...readdirSync(join(HERE, "worker")).filter(isText)].map((name) => ({
        type: isText(name) ? ("Text" as const) : ("ESModule" as const),
        path: join(HERE, "worker", name),
      })),
      bindings: {
        ...vars,
        ACCESS: access,
        API_KEY: apiKey ?? "",
        PUBLIC_URL: publicUrl ?? "",
        SANDBOX_CREATION: sandboxes ?? "",
      },
      d1Databases: ["DB"],
      kvNamespaces: ["SESSIONS"],
      r2Buckets: ["IMAGES"],
      durableObjects: { SANDBOXES: { className: "Sandbox", useSQLite: true } },
      ratelimits: {
        REQUESTS: { namespace_id: "1", simple },
        LOGINS: { namespace_id: "2", simple },
        LOGINS_PER_USER: { namespace_id: "3", simple },
        NEW_SANDBOXES: { namespace_id: "4", simple },
      },
      assets: {
        directory: join(HERE, "site"),
        binding: "ASSETS",
        run_worker_first: workerFirst,
        routerConfig: { has_user_worker: true },
      },
      host,
      port: at,
      ...(keep !== undefined && { resourcePersistencePath: keep }),
      cf: false,
      log: new Log(LogLevel.ERROR),
      logRequests: false,
      handleStructuredLogs: ({ level, message }) => show(level, message, log),
      telemetry: { enabled: false },
    });
  // At another port, so that nobody sees a store without its data.
  const miniflare = new Miniflare(optionsAt(0));
  const DB = await miniflare.getD1Database("DB");
  const store = { migrations: join(HERE, "migrations"), data, folder: keep };
  await prepareStore({ DB, PASSWORD_KEY: vars["PASSWORD_KEY"] ?? "" }, store);
  await miniflare.setOptions(optionsAt(port));
  // Miniflare itself names a socket of its own for some hosts.
  const address = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return { miniflare, origin: `http://${address.includes(":") ? `[${address}]` : address}:${port}` };
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
