// The store under test: the shared one in D1, or with `npm test -- --mode sandbox` a sandbox in a Durable Object. Each
// test file begins with an empty store. A test that looks into the store directly does so here.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { BASE_PATH } from "../src/http/base-path.ts";

/** Whether the tests use a sandbox. */
export const isSandbox = env.OWN;

/** The name of the sandbox; "" for the shared one. */
export let storeName = "";

/** The base path of the interface on the store. */
export let basePath: string = BASE_PATH;

/** The sessions of the store, by their own keys. */
export let sessions: KVNamespace = env.SESSIONS;

/** The images of the store, by their own keys. */
export let images: R2Bucket = env.IMAGES;

/** The key under which the login limiters count for this store. */
export let countedAs = (key: string): string => key;

/** Starts a test file with a new sandbox. */
export function beginStore(): void {
  if (!isSandbox) return;
  storeName = crypto.randomUUID();
  basePath = `/stores/${storeName}${BASE_PATH}`;
  const prefix = prefixOf(env.STORES.getByName(storeName));
  countedAs = (key) => prefix + key;
  sessions = sessionsHere();
  images = imagesHere(prefix);
}

/** The prefix of a sandbox's keys in R2 and the limiters. */
export const prefixOf = ({ id }: DurableObjectStub) => `stores/${id.toString()}/`;

const sessionsHere = () =>
  ({
    get: async (key: string, type: "text" | "json" = "text") => {
      const value = await database
        .prepare("SELECT value FROM sandbox_sessions WHERE key = ?")
        .bind(key)
        .first<string>("value");
      return type === "json" && value !== null ? (JSON.parse(value) as unknown) : value;
    },
    list: async ({ prefix = "" }: KVNamespaceListOptions = {}) => {
      const { results } = await database
        .prepare(
          "SELECT key AS name, expiresAt / 1000 AS expiration FROM sandbox_sessions WHERE key GLOB ? || '*'",
        )
        .bind(prefix)
        .all();
      return { keys: results };
    },
  }) as unknown as KVNamespace;

const imagesHere = (prefix: string) =>
  ({
    get: async (key: string) => env.IMAGES.get(prefix + key),
    delete: async (keys: string | string[]) =>
      env.IMAGES.delete([keys].flat().map((key) => prefix + key)),
    list: async (options: R2ListOptions = {}) => {
      const listed = await env.IMAGES.list({ ...options, prefix: prefix + (options.prefix ?? "") });
      const objects = listed.objects.map(({ key }) => ({ key: key.slice(prefix.length) }));
      return { ...listed, objects };
    },
  }) as unknown as R2Bucket;

/** How many calls to the store a request makes that needs this many in D1. A sandbox gets each request in one call. */
export const callsFor = (needed: number): number => (isSandbox ? 1 : needed);

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
export const database: Pick<D1Database, "prepare" | "batch" | "exec"> = isSandbox
  ? ({
      prepare: (sql: string) => new OwnStatement(sql),
      batch: async (statements: readonly OwnStatement[]) => ownBatch(statements),
      exec: async (sql: string) => ownBatch([new OwnStatement(sql)]),
    } as unknown as D1Database)
  : env.DB;
