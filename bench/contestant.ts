// Bundles a Worker as for production, and serves it with a workerd of its own.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import type { Asked } from "./workloads.ts";
import { dataOf } from "./workloads.ts";

const VARS = {
  ENVIRONMENT: "local",
  ACCESS: "open",
  SESSION_SECONDS: "3600",
  SANDBOX_SECONDS: "86400",
  REQUESTS_PER_MINUTE: "1000000000",
  PASSWORD_KEY: "bG9jYWwgZGV2ZWxvcG1lbnQga2V5LCAzMiBieXRlcyE=",
};

/** The class of sandboxes, whose bindings are those of the harness, too. */
const OBJECT = `
import { Sandbox as Contestant } from "./contestant.js";
export class Sandbox extends Contestant {
  constructor(state, env) { super(state, limitless(env)); }
}`;

interface Module {
  readonly type: "ESModule" | "Text";
  readonly path: string;
  readonly contents: string;
}

/** Bundles the service or the floor. @returns its modules */
export function bundle(name: "index" | "floor"): Module[] {
  const folder = resolve("dist", "bench", name);
  rmSync(folder, { recursive: true, force: true });
  const of = name === "index" ? ["--env", ""] : ["--config", "bench/wrangler.toml"];
  execFileSync("wrangler", ["deploy", "--dry-run", "--outdir", folder, ...of], { stdio: "pipe" });
  return readdirSync(folder).flatMap<Module>((file) => {
    const contents = readFileSync(join(folder, file), "utf8");
    if (file === `${name}.js`) return { type: "ESModule", path: "contestant.js", contents };
    return file.endsWith(".sql") ? { type: "Text", path: file, contents } : [];
  });
}

/** The CPU time of a process and its threads so far, in nanoseconds. */
function cpuTime(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return sum + Number(nanoseconds);
  }, 0);
}

const childrenOf = (pid: number) =>
  new Set(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number));

async function succeed(url: string, init?: RequestInit): Promise<void> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

/**
 * Serves a bundle, with its data in a temporary folder.
 * @param hasSandboxes loads the module at once, for the class of sandboxes, and not with the first request
 */
export async function serve(modules: readonly Module[], hasSandboxes = false) {
  const folder = mkdtempSync(join(tmpdir(), "pet-store-bench-"));
  const before = childrenOf(process.pid);
  const harness = readFileSync(join(import.meta.dirname, "harness.js"), "utf8");
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "bench",
      modulesRoot: "/",
      modules: [{ type: "ESModule", path: "harness.js", contents: harness + (hasSandboxes ? OBJECT : "") }, ...modules],
      compatibilityDate: "2026-10-01",
      compatibilityFlags: ["nodejs_compat"],
      bindings: VARS,
      d1Databases: ["DB"],
      kvNamespaces: ["SESSIONS"],
      r2Buckets: ["IMAGES"],
      ...(hasSandboxes && {
        durableObjects: { SANDBOXES: { className: "Sandbox", useSQLite: true } },
      }),
      resourcePersistencePath: folder,
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      cf: false,
      log: new Log(LogLevel.ERROR),
      telemetry: { enabled: false },
    }),
  );
  await miniflare.ready;
  const { origin } = await miniflare.unsafeGetDirectURL();
  const [pid = 0] = childrenOf(process.pid).difference(before);
  const db = await miniflare.getD1Database("DB");
  const migration = readFileSync("migrations/0000_pet_store.sql", "utf8");
  await db.batch(migration.split("--> statement-breakpoint").map((sql) => db.prepare(sql)));

  return {
    origin,

    /** Fills the store by statements of at most 500 pets: a larger one fails on a slow machine. */
    async fill(pets: number, sealed: object): Promise<void> {
      const all = dataOf(pets).pets;
      const members = ["id", "name", "status"].map((name) => `value ->> '${name}'`);
      const stored = ["category", "photoUrls", "tags"].map((name) => `value -> '${name}'`);
      for (let done = 0; done < pets; done += 500) {
        await db
          .prepare(
            `insert into pets (id, name, status, category, photoUrls, tags)
            select ${[...members, ...stored].join(", ")} from json_each(?1)`,
          )
          .bind(JSON.stringify(all.slice(done, done + 500)))
          .run();
      }
      await db
        .prepare(
          `insert into users (id, username, sealedPassword, credentialId)
          select 1, 'ada', ?1 ->> 'sealedPassword', ?1 ->> 'credentialId'`,
        )
        .bind(JSON.stringify(sealed))
        .run();
    },

    /** Makes or resets a sandbox. @returns its URL */
    async fillSandbox(pets: number): Promise<string> {
      const url = `${origin}/sandboxes/00000000-0000-4000-8000-000000000000`;
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify(dataOf(pets));
      await succeed(`${url}/data`, { method: "PUT", headers, body });
      return url;
    },

    rowsOf: async (sql: string) => (await db.prepare(sql).all()).results,

    /** The CPU time of one request, without the network, D1 and KV, in microseconds. */
    async isolate(asked: Asked, rows: readonly object[], count: number): Promise<number> {
      const began = cpuTime(pid);
      const body = JSON.stringify({ ...asked, rows, count });
      await succeed(`${origin}/bench/trial`, { method: "POST", body });
      return (cpuTime(pid) - began) / count / 1000;
    },

    /** The CPU time of loading the Worker's module, in milliseconds. */
    async loadModule(): Promise<number> {
      // The first request of a process costs more than loading the module.
      await succeed(`${origin}/bench/nothing`);
      const began = cpuTime(pid);
      await succeed(`${origin}/bench/nothing`);
      const nothing = cpuTime(pid) - began;
      const loading = cpuTime(pid);
      await succeed(`${origin}/bench/load`);
      return (cpuTime(pid) - loading - nothing) / 1e6;
    },

    async stop(): Promise<void> {
      await miniflare.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Served = Awaited<ReturnType<typeof serve>>;
