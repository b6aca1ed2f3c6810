// Serves the last version of a Worker, as Cloudflare does once it is deployed: by workerd, with the files, settings,
// secrets, bindings and limits that were uploaded.
import type { DatabaseSync } from "node:sqlite";
import type { Miniflare } from "miniflare";
import { startWorkerd } from "../workerd.ts";
import type { Worker } from "./cloudflare.ts";

interface Served {
  readonly worker: Worker;
  /** What is in D1: its tables are made here. */
  readonly database: DatabaseSync;
  readonly port: number;
  /** The folder of the assets. Without them, pages and documents meet a defect. */
  readonly assets: string | undefined;
}

interface Limit {
  readonly namespace_id: string;
  readonly simple: { readonly limit: number; readonly period: 10 | 60 };
}

const TYPES = { "application/javascript+module": "ESModule", "text/plain": "Text" } as const;

/** A version of the Worker, served. */
export class Edge {
  #miniflare: Miniflare | undefined;
  #before: unknown;
  /** What the Worker logged as a fault. */
  readonly faults: string[] = [];

  /** Serves a version in place of the one before. */
  async serve({ worker, database, port, assets }: Served): Promise<void> {
    await this.stop();
    const { modules, bindings, secrets, settings } = worker;
    const bound = (type: string) => bindings.filter((binding) => binding.type === type);
    const named = (type: string) => bound(type).map(({ name }) => name);
    const valuesOf = <T>(type: string, member: string) =>
      bound(type).map((binding) => [binding.name, binding[member] as T] as const);
    const sources = modules.map(async (file) => ({
      type: TYPES[file.type as keyof typeof TYPES],
      path: `/${file.name}`,
      contents: await file.text(),
    }));
    const objects = valuesOf<string>("durable_object_namespace", "class_name");
    const [binding = ""] = named("assets");
    const { miniflare } = await startWorkerd({
      compatibilityDate: settings.compatibility_date,
      modules: (await Promise.all(sources)).filter(({ type }) => type !== undefined),
      bindings: Object.fromEntries([...valuesOf<string>("plain_text", "text"), ...secrets]),
      d1Databases: named("d1"),
      kvNamespaces: named("kv_namespace"),
      r2Buckets: named("r2_bucket"),
      durableObjects: Object.fromEntries(
        objects.map(([name, className]) => [name, { className, useSQLite: true }]),
      ),
      ratelimits: Object.fromEntries(
        bound("ratelimit").map((limit) => [limit.name, limit as unknown as Limit]),
      ),
      ...(assets !== undefined && {
        assets: {
          directory: assets,
          binding,
          ...settings.assets.config,
          routerConfig: { has_user_worker: true },
        },
      }),
      unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") this.faults.push(message);
      },
    });
    this.#miniflare = miniflare;
    const d1 = await miniflare.getD1Database("DB");
    const made = database
      .prepare("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'")
      .all();
    await d1.batch(made.map(({ sql }) => d1.prepare(String(sql))));
    this.#before = await this.#shared();
  }

  /** What the shared store holds, and what it held when the version was new. */
  async changes(): Promise<{ readonly before: unknown; readonly after: unknown }> {
    return { before: this.#before, after: await this.#shared() };
  }

  async #shared(): Promise<unknown> {
    const d1 = await this.#miniflare?.getD1Database("DB");
    const kv = await this.#miniflare?.getKVNamespace("SESSIONS");
    const tables = await d1
      ?.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .raw<[string]>();
    const rows = tables?.map(async ([name]) => d1?.prepare(`SELECT * FROM ${name}`).raw());
    return { rows: await Promise.all(rows ?? []), sessions: (await kv?.list())?.keys };
  }

  async stop(): Promise<void> {
    await this.#miniflare?.dispose();
  }
}
