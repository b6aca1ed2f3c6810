// Serves a Worker with workerd, and fills its database.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { startWorkerd } from "../e2e/workerd.ts";
import "../scripts/node-22.ts";
import { childrenOf } from "../e2e/processes.ts";
import { MIGRATIONS } from "../src/db/migrations.ts";
import { sealPassword } from "../src/user/passwords.ts";
import type { Sql } from "./sql.ts";
import { petOf } from "./workloads.ts";

/** The service's variables as in production, with a higher rate limit. */
export const VARS = {
  ENVIRONMENT: "local",
  ACCESS: "open",
  SESSION_SECONDS: "3600",
  STORE_SECONDS: "86400",
  REQUESTS_PER_MINUTE: "1000000000",
  PASSWORD_KEY: "bG9jYWwgZGV2ZWxvcG1lbnQga2V5LCAzMiBieXRlcyE=",
};

const LIMITERS = ["REQUESTS", "LOGINS", "LOGINS_PER_USER", "NEW_STORES"];
const limiter = (namespace: number) => ({
  namespace_id: String(namespace),
  simple: { limit: 1e9, period: 60 as const },
});

export interface Served {
  readonly port: number;
  /** The process of workerd. */
  readonly pid: number;
  readonly db: Awaited<ReturnType<Miniflare["getD1Database"]>>;
  readonly inspector: URL | undefined;
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly sql: Sql;
  /** A module that wraps the Worker, which it imports as "contestant.js". */
  readonly harness?: string;
  /** Opens a port for the inspector. */
  readonly inspect?: boolean;
  /** Binds the namespace of sandboxes. Needs the harness "local". */
  readonly sandboxes?: boolean;
}

/** The class of sandboxes, appended to bench/local.ts. Sandboxes use the limiters too. */
const OBJECT = `
import { StoreObject as Contestant } from "./contestant.js";
export class StoreObject extends Contestant {
  constructor(state, env) {
    super(state, limitless(env));
  }
}`;

/** Serves a bundled Worker on a free port, with its data in a temporary folder. */
export async function serve(
  script: string,
  { sql, harness, inspect, sandboxes }: ServeOptions,
): Promise<Served> {
  const before = new Set(childrenOf(process.pid));
  const store = mkdtempSync(join(tmpdir(), "pet-store-bench-"));
  const contestant = {
    type: "ESModule" as const,
    path: "contestant.js",
    contents: readFileSync(script, "utf8"),
  };
  const main = harness === undefined || !sandboxes ? harness : harness + OBJECT;
  const removeStore = () => rmSync(store, { recursive: true, force: true });
  try {
    const { miniflare, port } = await startWorkerd({
      // The service logs every request. Print only errors.
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") console.error(message);
      },
      resourcePersistencePath: store,
      ...(inspect && { inspectorPort: 0 }),
      name: "bench",
      modules: [
        ...(main ? [{ type: "ESModule" as const, path: "harness.js", contents: main }] : []),
        contestant,
      ],
      compatibilityDate: "2026-10-01",
      bindings: { ...VARS, SQL: { ...sql } },
      d1Databases: ["DB"],
      ...(sandboxes && {
        durableObjects: { STORES: { className: "StoreObject", useSQLite: true } },
      }),
      kvNamespaces: ["SESSIONS"],
      r2Buckets: ["IMAGES"],
      ratelimits: Object.fromEntries(LIMITERS.map((name, index) => [name, limiter(1001 + index)])),
    });
    const db = await miniflare.getD1Database("DB");
    await db.batch(
      MIGRATIONS.flatMap((migration) => migration.sql.split("\n")).map((one) => db.prepare(one)),
    );
    const [pid = 0] = new Set(childrenOf(process.pid)).difference(before);
    return {
      port,
      pid,
      db,
      inspector: inspect ? await miniflare.getInspectorURL() : undefined,
      stop: async () => {
        await miniflare.dispose();
        removeStore();
      },
    };
  } catch (error) {
    removeStore();
    throw error;
  }
}

/** Pets per statement: one JSON value, well below D1's limit of 2 MB. */
const PETS_AT_ONCE = 5000;

/**
 * Fills an empty database with the user "ada" and with pets, whose ids start at 1: a third of each status, every fifth
 * with the tag "dog".
 * @param progress receives the number of pets so far
 */
export async function fill(
  db: Served["db"],
  pets: number,
  progress: (done: number) => void = () => undefined,
): Promise<void> {
  for (let first = 1; first <= pets; first += PETS_AT_ONCE) {
    const last = Math.min(first + PETS_AT_ONCE - 1, pets);
    const rows = [];
    for (let id = first; id <= last; id++) rows.push(columnsOf(id));
    await db
      .prepare(
        `insert into pets (id, category, name, photoUrls, tags, status)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?)`,
      )
      .bind(JSON.stringify(rows))
      .run();
    progress(last);
  }
  const password = await sealPassword([VARS.PASSWORD_KEY], "correct horse");
  await db
    .prepare(
      `insert into users (id, username, sealedPassword, credentialId) values (1, 'ada', ?, ?)`,
    )
    .bind(password.sealedPassword, password.credentialId)
    .run();
}

/** Makes or resets a sandbox, with the same data as `fill`. @returns its base path */
export async function fillSandbox(
  { port }: Pick<Served, "port">,
  name: string,
  pets: number,
): Promise<string> {
  const path = `/stores/${name}`;
  const ada = { id: 1, username: "ada", password: "correct horse" };
  const answer = await fetch(`http://127.0.0.1:${port}${path}/data`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      pets: Array.from({ length: pets }, (_, index) => petOf(index + 1)),
      users: [ada],
    }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return `${path}/v2`;
}

/** Makes almost the largest pet that fits into a body of 48 KiB. */
const LARGEST_URLS = JSON.stringify(Array.from({ length: 12 }, () => "u".repeat(4000)));

/** Fills an empty database with sold pets of the largest size. */
export async function fillWithLargest(db: Served["db"], pets: number): Promise<void> {
  await db
    .prepare(
      `insert into pets (id, name, photoUrls, status)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
       select i, 'Rex', ?, 'sold' from n`,
    )
    .bind(pets, LARGEST_URLS)
    .run();
}

function columnsOf(id: number): readonly unknown[] {
  const { category, name, photoUrls, tags, status } = petOf(id);
  return [
    id,
    JSON.stringify(category),
    name,
    JSON.stringify(photoUrls),
    JSON.stringify(tags),
    status,
  ];
}
