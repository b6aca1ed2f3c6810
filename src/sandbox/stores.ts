import { drizzle } from "drizzle-orm/durable-sqlite";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/errors.ts";
import type { Images } from "../http/env.ts";
import type { Session, Sessions } from "../auth/sessions.ts";
import type { SandboxEnv } from "./env.ts";
import type { Sandbox } from "./object.ts";

/** The most data and files of a sandbox. */
const MAX_DATA_BYTES = 10_000_000;
const MAX_FILES = 100;
const MAX_FILE_BYTES = 50_000_000;

const full = (what: string) => [507, `A sandbox has at most ${what}`] as const;
export const FULL = full("10 MB of data");

/** Gives the routes the database, sessions and files of a sandbox, instead of D1, KV and R2. */
export const sandboxStores = createMiddleware<SandboxEnv>(async (c, next) => {
  const sandbox = c.get("sandbox");
  const storage = until(c.get("signal"), sandbox.storage);
  c.set("db", drizzle(storage));
  c.set("sessions", sessionsIn(storage, sandbox));
  c.set("images", imagesOf(sandbox, c.get("signal")));
  await next();
});

/** Refuses what would make a full sandbox larger. One request may go a little beyond. */
export const limitData = createMiddleware<SandboxEnv>(async (c, next) => {
  const adds = c.req.method === "POST" || c.req.method === "PUT";
  if (adds) makeRoom(c.get("sandbox"));
  await next();
});

/** Only where there is no room are sessions and record scanned: removes expired sessions. @throws ApiError 507 */
function makeRoom(sandbox: Sandbox): void {
  if (!isFull(sandbox)) return;
  endSessions(sandbox.storage, Date.now());
  if (isFull(sandbox)) throw new ApiError(FULL);
}

/** The record does not count. Its size is asked second, because it takes a scan. */
function isFull({ storage, requests }: Sandbox): boolean {
  const bytes = storage.sql.databaseSize;
  return bytes > MAX_DATA_BYTES && bytes - requests.bytes > MAX_DATA_BYTES;
}

/** The storage, until the sandbox is deleted: what is in flight then must not get into the next one of its name. */
function until(signal: AbortSignal, storage: DurableObjectStorage): DurableObjectStorage {
  return new Proxy(storage, {
    get(target, name) {
      signal.throwIfAborted();
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const sessionKey = (key: string) => `session:${key}`;

/** Sessions in an object. Unlike those of KV, they go only where there is no room, and with the sandbox. */
const sessionsIn = (storage: DurableObjectStorage, sandbox: Sandbox): Sessions => ({
  get: async (key) => storage.kv.get<string>(sessionKey(key)) ?? null,
  put: async (key, value) => {
    makeRoom(sandbox);
    storage.kv.put(sessionKey(key), value);
  },
  delete: async (key) => {
    storage.kv.delete(sessionKey(key));
  },
});

/** Ends the sessions that expire before a time: all, if there is none. */
export function endSessions({ kv }: DurableObjectStorage, before = Infinity): void {
  for (const [key, value] of Array.from(kv.list<string>({ prefix: sessionKey("") }))) {
    if ((JSON.parse(value) as Session).expiresAt < before) kv.delete(key);
  }
}

/** The part of the bucket whose keys begin with the prefix of a sandbox. */
function imagesOf(sandbox: Sandbox, signal: AbortSignal): Images {
  const { prefix, service } = sandbox;
  const bucket = service.IMAGES;
  return {
    get: async (key, options) => bucket.get(prefix + key, options),
    head: async (key) => bucket.head(prefix + key),
    async list(options) {
      const page = await bucket.list({ ...options, prefix: prefix + (options.prefix ?? "") });
      const objects = page.objects.map(({ key, uploaded }) => ({
        key: key.slice(prefix.length),
        uploaded,
      }));
      return { ...page, objects };
    },
    delete: async (keys) => bucket.delete([keys].flat().map((key) => prefix + key)),
    put: async (key, value, options) =>
      sandbox.inTurn(async () => {
        signal.throwIfAborted();
        const { objects } = await bucket.list({ prefix });
        const bytes = objects.reduce((sum, { size }) => sum + size, 0);
        if (objects.length >= MAX_FILES) throw new ApiError(full(`${MAX_FILES} files`));
        if (bytes + value.size > MAX_FILE_BYTES) throw new ApiError(full("50 MB of files"));
        await bucket.put(prefix + key, value, options);
        if (signal.aborted) {
          await bucket.delete(prefix + key);
          signal.throwIfAborted();
        }
      }),
  };
}
