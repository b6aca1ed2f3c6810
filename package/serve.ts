// The server process: Miniflare configures workerd with the Worker, and clients connect to workerd's own socket.
import { readFileSync, readdirSync } from "node:fs";
import module from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import type * as miniflareModule from "miniflare";
import { lockTemporary, removeAbandoned, removeFolder } from "./files.ts";
import { takeFolder } from "./keep.ts";
import { claim } from "./network.ts";
import type { Notice, Order } from "./server.ts";
import { unpack } from "./packed.ts";
import type { WorkerConfiguration } from "./packed.ts";
import { printableLines, withoutUrls } from "./terminal.ts";

/** How long workerd may take to end before it is killed, in milliseconds. */
const STOP_MS = 5000;

/** How long a store lives after its last use, in seconds: 100 years. */
const STORE_SECONDS = 100 * 365 * 86_400;

const HERE = import.meta.dirname;

// Most of a start is compiling the code of Miniflare.
module.enableCompileCache?.(join(HERE, ".cache"));

const { promise: given, resolve: give } = Promise.withResolvers<Order>();
process.once("message", give);
const { promise: left, resolve: leave } = Promise.withResolvers<void>();
process.once("disconnect", leave);
// systemd and others signal every process, not only the parent.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => leave());

const tell = async (notice: Notice) =>
  new Promise<void>((resolve) => {
    if (process.connected) process.send?.(notice, undefined, {}, () => resolve());
    else resolve();
  });

async function serve(order: Order): Promise<void> {
  const { host, port, basePath, data, access, apiKey, folder, stores, temporary } = order;
  // The parent does this too, but may have been killed.
  process.on("exit", () => removeFolder(temporary));
  // workerd inherits it: its files are for this user alone.
  process.umask(0o077);
  lockTemporary(temporary);
  const store = folder === undefined ? order.store : takeFolder(folder, order.store, process.ppid);
  await claim(port, host);
  // Another thread decompresses while this one loads Miniflare.
  const unpacked = unpack(join(HERE, "packed.br"), temporary, order);
  // `import` would take twice as long: it first scans all code for the names of exports.
  const { Log, LogLevel, Miniflare, convertV4MiniflareOptions } = module.createRequire(
    import.meta.url,
  )("miniflare") as typeof miniflareModule;
  await unpacked;
  const worker = join(temporary, "worker");
  const { bindings, ratelimits, assets, ...configuration } = JSON.parse(
    readFileSync(join(worker, "worker.json"), "utf8"),
  ) as WorkerConfiguration;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...configuration,
      name: "pet-store",
      rootPath: "/",
      modules: readdirSync(worker)
        .filter((name) => /\.(?:js|sql)$/.test(name))
        // The entry must come first.
        .toSorted((a, b) => Number(b === "index.js") - Number(a === "index.js"))
        .map((name) => ({
          type: name.endsWith(".js") ? ("ESModule" as const) : ("Text" as const),
          path: name,
          contents: readFileSync(join(worker, name), "utf8"),
        })),
      bindings: {
        ...bindings,
        ACCESS: access,
        STORE_SECONDS: String(STORE_SECONDS),
        LOCAL_STORE: store,
        LOCAL_HOSTS: `${host},${hostname()}`,
        ...(basePath !== undefined && { LOCAL_BASE_PATH: basePath }),
        ...(stores !== undefined && { STORE_CREATION: stores }),
        ...(folder !== undefined && { STORE_KEPT: "true" }),
        ...(data !== undefined && { STORE_DATA: data }),
        ...(apiKey !== undefined && { API_KEY: apiKey }),
      },
      ratelimits: Object.fromEntries(
        ratelimits.map((name, index) => [
          name,
          {
            namespace_id: String(index + 1),
            simple: { limit: Number(bindings["REQUESTS_PER_MINUTE"]), period: 60 as const },
          },
        ]),
      ),
      assets: {
        directory: join(temporary, "site"),
        ...assets,
        routerConfig: { has_user_worker: true },
      },
      ...(folder !== undefined && { resourcePersistencePath: folder }),
      unsafeDirectSockets: [{ host, port }],
      log: new Log(LogLevel.ERROR),
      // The Worker logs every request. Print only errors.
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") console.error(printableLines(withoutUrls(message)));
      },
      cf: false,
      // The Worker does not use it.
      cacheAPI: false,
      telemetry: { enabled: false },
    }),
  );
  await running(miniflare.ready);
  const { origin } = await miniflare.unsafeGetDirectURL();
  await tell({ kind: "ready", origin, store });
  removeAbandoned(temporary);
  await left;
  setTimeout(() => process.exit(1), STOP_MS).unref();
  await miniflare.dispose();
}

/** Waits for workerd. @throws Error with advice if it cannot run here: Miniflare fails with EPIPE, or uncaught */
async function running(ready: Promise<unknown>): Promise<void> {
  const { promise: uncaught, reject } = Promise.withResolvers<never>();
  process.once("uncaughtException", reject);
  try {
    await Promise.race([ready, uncaught]);
  } catch (fault) {
    const { code, syscall } = fault as NodeJS.ErrnoException;
    if (code !== "EPIPE" && !syscall?.startsWith("spawn ")) throw fault;
    throw new Error(
      "workerd cannot run on this system. On Linux it needs glibc, which Alpine does not have: use a Debian image, such as node:22-slim.",
      { cause: fault },
    );
  } finally {
    process.off("uncaughtException", reject);
  }
}

try {
  await serve(await given);
  process.exit();
} catch (fault) {
  const { code, message } = fault as NodeJS.ErrnoException;
  await tell({ kind: "failed", code, message });
  process.exit(1);
}
