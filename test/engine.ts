// The store under test: the shared one in D1, or with `npm run test:own` a store of one's own in a Durable Object. Each
// test file begins with an empty store. A test that looks into the store directly does so here.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { BASE_PATH } from "../src/base-path.ts";
import { D1Engine } from "../src/db/d1.ts";
import type { Engine } from "../src/db/engine.ts";
import { OwnStore } from "../src/stores/own-store.ts";
import { imagesBelow, prefixOf, sessionsBelow } from "../src/stores/spaces.ts";

/** Whether the tests use a store of one's own. */
export const isOwn = env.OWN;

/** The name of the store of one's own; "" for the shared one. */
export let storeName = "";

/** The base path of the interface on the store. */
export let basePath = BASE_PATH;

/** The sessions of the store, by their own keys. */
export let sessions: KVNamespace = env.SESSIONS;

/** The images of the store, by their own keys. */
export let images: R2Bucket = env.IMAGES;

/** The keys by which the login limiters count, for this store. */
export let countedAs = (key: string): string => key;

/** Begins a test file: another store of one's own. */
export function beginStore(): void {
  if (!isOwn) return;
  storeName = crypto.randomUUID();
  basePath = `/stores/${storeName}${BASE_PATH}`;
  const prefix = prefixOf(env.STORES.idFromName(storeName));
  countedAs = (key) => prefix + key;
  sessions = sessionsHere(prefix);
  images = imagesHere(prefix);
}

const sessionsHere = (prefix: string) =>
  ({
    ...sessionsBelow(prefix, env.SESSIONS),
    get: async (key: string, type: "text" = "text") => env.SESSIONS.get(prefix + key, type),
    list: async (options: KVNamespaceListOptions = {}) => {
      const listed = await env.SESSIONS.list({
        ...options,
        prefix: prefix + (options.prefix ?? ""),
      });
      const keys = listed.keys.map((key) => ({ ...key, name: key.name.slice(prefix.length) }));
      return { ...listed, keys };
    },
  }) as unknown as KVNamespace;

const imagesHere = (prefix: string) =>
  ({
    ...imagesBelow(prefix, env.IMAGES),
    get: async (key: string) => env.IMAGES.get(prefix + key),
    delete: async (keys: string | string[]) =>
      env.IMAGES.delete([keys].flat().map((key) => prefix + key)),
    list: async (options: R2ListOptions = {}) => {
      const listed = await env.IMAGES.list({ ...options, prefix: prefix + (options.prefix ?? "") });
      const objects = listed.objects.map(({ key }) => ({ key: key.slice(prefix.length) }));
      return { ...listed, objects };
    },
  }) as unknown as R2Bucket;

/**
 * The calls to the store of a request that needs this many. A store of one's own gets at least one call for every
 * request, which prolongs its life and applies its rules for faults.
 */
export const callsFor = (needed: number): number => (isOwn ? Math.max(needed, 1) : needed);

/** The engine of the store, for direct use without the service. */
export const engine = (): Engine =>
  isOwn
    ? new OwnStore(env.STORES, storeName, {
        now: Date.now,
        seconds: 86_400,
        countNew: async () => undefined,
      })
    : new D1Engine(env.DB);

type Values = readonly unknown[];

class OwnStatement {
  readonly sql: string;
  readonly values: Values;

  constructor(sql: string, values: Values = []) {
    this.sql = sql;
    this.values = values;
  }

  bind(...values: unknown[]): OwnStatement {
    return new OwnStatement(this.sql, values);
  }

  async all() {
    const [result] = await ownBatch([this]);
    return result;
  }

  async run() {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all())?.results ?? [];
    return (column === undefined ? row : row?.[column]) ?? null;
  }
}

/** Runs statements in the object as one transaction. */
async function ownBatch(statements: readonly OwnStatement[]) {
  return runInDurableObject(env.STORES.getByName(storeName), (_, { storage }) =>
    storage.transactionSync(() =>
      statements.map(({ sql, values }) => {
        const cursor = storage.sql.exec(sql, ...values);
        return { results: cursor.toArray(), success: true as const };
      }),
    ),
  );
}

/** The tables of the store. */
export const database: Pick<D1Database, "prepare" | "batch" | "exec"> = isOwn
  ? ({
      prepare: (sql: string) => new OwnStatement(sql),
      batch: async (statements: readonly OwnStatement[]) => ownBatch(statements),
      exec: async (sql: string) => ownBatch([new OwnStatement(sql)]),
    } as unknown as D1Database)
  : env.DB;
