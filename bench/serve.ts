// Bundles Workers as for production, and serves each with a workerd of its own.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { send, succeed } from "../e2e/http.ts";
import { cpuTime } from "../e2e/processes.ts";
import { modulesIn, startWorkerd } from "../e2e/workerd.ts";
import type { Module } from "../e2e/workerd.ts";
import { bundle } from "../e2e/wrangler.ts";
import "../scripts/node-22.ts";
import { ROOT } from "../scripts/programs.ts";
import { insertionsOfPets } from "../src/pet/queries.ts";
import { sealUsers } from "../src/user/passwords.ts";
import { insertionsOfUsers } from "../src/user/queries.ts";
import type { Trial } from "./harness.ts";
import { median } from "./report.ts";
import { statementsOfService } from "./sql.ts";
import type { Statement } from "./sql.ts";
import { dataOf } from "./workloads.ts";

/** The service's variables as in production, with a higher rate limit. */
const VARS = {
  ENVIRONMENT: "local",
  ACCESS: "open",
  SESSION_SECONDS: "3600",
  STORE_SECONDS: "86400",
  REQUESTS_PER_MINUTE: "1000000000",
  PASSWORD_KEY: "bG9jYWwgZGV2ZWxvcG1lbnQga2V5LCAzMiBieXRlcyE=",
};

const HARNESS = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, "harness.ts"), "utf8"));

/** The class of sandboxes, which need the limiters too. */
const OBJECT = `
import { StoreObject as Contestant } from "./contestant.js";
export class StoreObject extends Contestant {
  constructor(state, env) {
    super(state, limitless(env));
  }
}`;

/** Arguments of wrangler. */
const BUILDS = { index: ["--env", ""], floor: ["--config", "bench/wrangler.toml"] };

/** Bundles the service (`index`) or the floor. @returns its modules */
export function build(name: keyof typeof BUILDS): readonly Module[] {
  const folder = join(ROOT, "dist", "bench", name);
  rmSync(folder, { recursive: true, force: true });
  bundle(folder, ...BUILDS[name]);
  return modulesIn(folder, `${name}.js`, "contestant.js");
}

export type Served = Awaited<ReturnType<typeof serve>>;

/**
 * Serves a bundled Worker on a free port, with its data in a temporary folder.
 * @param hasSandboxes binds the namespace of sandboxes. The module is then loaded at once, not by the first request.
 */
export async function serve(bundled: readonly Module[], hasSandboxes = false) {
  const folder = mkdtempSync(join(tmpdir(), "pet-store-bench-"));
  const {
    miniflare,
    port,
    pid = 0,
  } = await startWorkerd({
    resourcePersistencePath: folder,
    name: "bench",
    modules: [
      { type: "ESModule", path: "harness.js", contents: hasSandboxes ? HARNESS + OBJECT : HARNESS },
      ...bundled,
    ],
    compatibilityDate: "2026-10-01",
    bindings: { ...VARS, SQL: await statementsOfService() },
    d1Databases: ["DB"],
    kvNamespaces: ["SESSIONS"],
    r2Buckets: ["IMAGES"],
    ...(hasSandboxes && {
      durableObjects: { STORES: { className: "StoreObject", useSQLite: true } },
    }),
  });
  const db = await miniflare.getD1Database("DB");
  const migrations = await readD1Migrations(join(ROOT, "migrations"));
  await db.batch(migrations.flatMap(({ queries }) => queries).map((one) => db.prepare(one)));
  const origin = `http://127.0.0.1:${port}`;

  return {
    baseUrl: `${origin}/v2`,

    /** Fills the empty store with the user "ada" and with pets, whose ids start at 1. */
    async fill(pets: number): Promise<void> {
      const data = dataOf(pets);
      const users = await sealUsers([VARS.PASSWORD_KEY], data.users);
      const statements = [...insertionsOfPets(data.pets), ...insertionsOfUsers(users)];
      await db.batch(statements.map(({ sql, values }) => db.prepare(sql).bind(...values)));
    },

    /** Makes or resets a sandbox, with the same data. @returns its base URL */
    async fillSandbox(pets: number): Promise<string> {
      const path = "/stores/00000000-0000-4000-8000-000000000000";
      const { status, text } = await send(origin, `PUT ${path}/data`, { json: dataOf(pets) });
      if (status !== 204) throw new Error(`the sandbox is not filled: ${status} ${text}`);
      return `${origin}${path}/v2`;
    },

    /** The rows of a statement of the service, with sample values. */
    async rowsOf({ text, sample }: Statement): Promise<object[]> {
      return (
        await db
          .prepare(text)
          .bind(...sample)
          .all()
      ).results;
    },

    /**
     * The CPU time of one request in microseconds, without the network, D1, KV and R2: the median of the rounds. Before
     * them, there is one to warm up: V8 compiles code again for requests that differ from the earlier ones.
     */
    async isolate(trial: Trial, rounds: number): Promise<number> {
      const times: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const began = cpuTime(pid);
        await succeed(origin, "POST /bench/trial", { json: trial });
        if (round > 0) times.push((cpuTime(pid) - began) / trial.count / 1000);
      }
      return median(times);
    },

    /** The CPU time of loading the Worker's module, in milliseconds. */
    async loadModule(): Promise<number> {
      // The first request of a process costs more than loading the module.
      await fetch(`${origin}/bench/nothing`);
      const began = cpuTime(pid);
      await fetch(`${origin}/bench/nothing`);
      const loading = cpuTime(pid);
      await fetch(`${origin}/bench/load`);
      const nothing = loading - began;
      return (cpuTime(pid) - loading - nothing) / 1e6;
    },

    async stop(): Promise<void> {
      await miniflare.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
