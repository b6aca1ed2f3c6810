// Bundles a Worker as for production, and serves it with a workerd of its own.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { drizzle } from "drizzle-orm/d1";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import * as v from "valibot";
// Wrangler has no stable way to read its configuration.
import { unstable_readConfig as readConfig } from "wrangler";
import { Data, replaceData } from "../src/sandbox/data.ts";
import { USERS, petsUpTo, type Asked } from "./workloads.ts";

const config = readConfig({ config: "wrangler.toml" });
const bindings = { ...config.vars, ...parseEnv(readFileSync(".dev.vars", "utf8")) } as Record<string, string>;

const INSERT_PETS = `insert into pets (id, name, status, category, photoUrls, tags)
  select value ->> 'id', value ->> 'name', value ->> 'status', value -> 'category', value -> 'photoUrls', value -> 'tags'
  from json_each(?1)`;

/** The class of sandboxes, whose bindings are those of the harness, too. */
const OBJECT = `
import { Sandbox as Contestant } from "./contestant.js";
export class Sandbox extends Contestant {
  constructor(state, env) { super(state, limitless(env)); }
}`;

/** Bundles the service or the floor. @returns its modules */
export function bundle(name: "index" | "floor") {
  const folder = resolve("dist", "bench", name);
  rmSync(folder, { recursive: true, force: true });
  const of = name === "index" ? [] : ["--config", "bench/wrangler.toml"];
  execFileSync("wrangler", ["deploy", "--dry-run", "--outdir", folder, ...of], { stdio: "pipe" });
  return readdirSync(folder).flatMap((file) => {
    const contents = readFileSync(join(folder, file), "utf8");
    if (file === `${name}.js`) return { type: "ESModule" as const, path: "contestant.js", contents };
    return file.endsWith(".sql") ? { type: "Text" as const, path: file, contents } : [];
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
 * Serves a bundle, with one user and so many pets.
 * @param hasSandboxes loads the module at once, for the class of sandboxes, and not with the first request
 */
export async function serve(modules: ReturnType<typeof bundle>, pets: number, hasSandboxes = false) {
  const before = childrenOf(process.pid);
  const harness = readFileSync(join(import.meta.dirname, "harness.js"), "utf8");
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "bench",
      modulesRoot: "/",
      modules: [{ type: "ESModule", path: "harness.js", contents: harness + (hasSandboxes ? OBJECT : "") }, ...modules],
      compatibilityDate: config.compatibility_date ?? "",
      compatibilityFlags: config.compatibility_flags,
      bindings,
      d1Databases: ["DB"],
      kvNamespaces: ["SESSIONS"],
      r2Buckets: ["IMAGES"],
      ...(hasSandboxes && { durableObjects: { SANDBOXES: { className: "Sandbox", useSQLite: true } } }),
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
  const data = v.parse(Data, { users: USERS });
  const statements = readFileSync("migrations/0000_pet_store.sql", "utf8").split("--> statement-breakpoint");
  await db.batch(statements.map((statement) => db.prepare(statement)));
  await replaceData(drizzle(db), data, [bindings["PASSWORD_KEY"] ?? ""]);
  const all = petsUpTo(pets);
  // A larger statement fails on a slow machine.
  for (let done = 0; done < pets; done += 500) {
    const some = JSON.stringify(all.slice(done, done + 500));
    await db.prepare(INSERT_PETS).bind(some).run();
  }

  /** The CPU time that workerd takes for a request to the harness, in nanoseconds. */
  const cpuOf = async (path: string, init?: RequestInit) => {
    const began = cpuTime(pid);
    await succeed(`${origin}/bench/${path}`, init);
    return cpuTime(pid) - began;
  };

  return {
    origin,

    /** Makes or resets a sandbox. @returns its URL */
    async fillSandbox(count: number): Promise<string> {
      const url = `${origin}/sandboxes/00000000-0000-4000-8000-000000000000`;
      const body = JSON.stringify({ pets: petsUpTo(count), users: USERS });
      await succeed(`${url}/data`, { method: "PUT", headers: { "Content-Type": "application/json" }, body });
      return url;
    },

    rowsOf: async (sql: string) => (await db.prepare(sql).all()).results,

    /** The CPU time of one request, without the network, D1 and KV, in microseconds. */
    async isolate(asked: Asked, rows: readonly object[], count: number): Promise<number> {
      const body = JSON.stringify({ ...asked, rows, count });
      return (await cpuOf("trial", { method: "POST", body })) / count / 1000;
    },

    /** The CPU time of loading the Worker's module, in milliseconds. */
    async loadModule(): Promise<number> {
      // The first request of a process costs more than loading the module.
      await cpuOf("nothing");
      const nothing = await cpuOf("nothing");
      return ((await cpuOf("load")) - nothing) / 1e6;
    },

    stop: async () => miniflare.dispose(),
  };
}
