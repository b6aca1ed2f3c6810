import { drizzle } from "drizzle-orm/durable-sqlite";
import { createMiddleware } from "hono/factory";
import type { Session, Sessions } from "../auth/sessions.ts";
import type { Database } from "../db/client.ts";
import type { Images } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import type { SandboxEnv } from "./env.ts";
import { FULL, full } from "./errors.ts";
import type { SandboxState } from "./state.ts";

/** The limits of a sandbox. */
const MAX_DATA_BYTES = 10_000_000;
const MAX_FILES = 100;
const MAX_BYTES_OF_ALL_FILES = 50_000_000;

/** One database for the lifetime of a sandbox, so that prepared queries live as long. */
const databases = new WeakMap<AbortSignal, Database>();

function getDatabase({ storage }: SandboxState, signal: AbortSignal): Database {
  const db = databases.get(signal) ?? drizzle(abortableStorage(signal, storage));
  databases.set(signal, db);
  return db;
}

/** Provides a sandbox's database, sessions, and files in place of D1, KV, and R2. */
export const provideStorage = createMiddleware<SandboxEnv>(async (c, next) => {
  const sandbox = c.get("sandbox");
  const signal = c.get("signal");
  c.set("db", getDatabase(sandbox, signal));
  c.set("sessions", sandboxSessions(abortableStorage(signal, sandbox.storage), sandbox));
  c.set("images", sandboxImages(sandbox, c.env.IMAGES, signal));
  await next();
});

/** Rejects writes to a full sandbox. A single request may exceed the limit a little. */
export const limitData = createMiddleware<SandboxEnv>(async (c, next) => {
  const adds = c.req.method === "POST" || c.req.method === "PUT";
  if (adds) makeRoom(c.get("sandbox"));
  await next();
});

/** Removes expired sessions if the sandbox is full, which is rare, because it scans them. Throws `ApiError` 507. */
function makeRoom(sandbox: SandboxState): void {
  if (!isFull(sandbox)) return;
  endSessions(sandbox.storage, Date.now());
  if (isFull(sandbox)) throw new ApiError(FULL);
}

/**
 * Whether the data exceeds the limit, not counting the request log. The size of the log is queried only if the whole database
 * exceeds the limit, because the query scans the log.
 */
function isFull({ storage, requests }: SandboxState): boolean {
  const bytes = storage.sql.databaseSize;
  return bytes > MAX_DATA_BYTES && bytes - requests.bytes > MAX_DATA_BYTES;
}

/** Returns storage that fails once the sandbox is deleted: in-flight requests must not write to a new one of the same name. */
function abortableStorage(signal: AbortSignal, storage: DurableObjectStorage): DurableObjectStorage {
  return new Proxy(storage, {
    get(target, name) {
      signal.throwIfAborted();
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const sessionKey = (key: string) => `session:${key}`;

/** Returns sessions in a Durable Object. Unlike in KV, expired ones are removed only when the sandbox is full. */
const sandboxSessions = (storage: DurableObjectStorage, sandbox: SandboxState): Sessions => ({
  get: async (key) => storage.kv.get<string>(sessionKey(key)) ?? null,
  put: async (key, value) => {
    makeRoom(sandbox);
    storage.kv.put(sessionKey(key), value);
  },
  delete: async (key) => {
    storage.kv.delete(sessionKey(key));
  },
});

/** Ends the sessions that expire before a time, or all sessions. */
export function endSessions({ kv }: DurableObjectStorage, before = Infinity): void {
  for (const [key, value] of Array.from(kv.list<string>({ prefix: sessionKey("") }))) {
    if ((JSON.parse(value) as Session).expiresAt < before) kv.delete(key);
  }
}

/** Returns the part of the bucket whose keys begin with the prefix of a sandbox. */
function sandboxImages(sandbox: SandboxState, bucket: R2Bucket, signal: AbortSignal): Images {
  const { prefix } = sandbox;
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
      sandbox.queueUpload(async () => {
        signal.throwIfAborted();
        const { objects } = await bucket.list({ prefix });
        const bytes = objects.reduce((sum, { size }) => sum + size, 0);
        if (objects.length >= MAX_FILES) throw new ApiError(full(`${MAX_FILES} files`));
        if (bytes + value.size > MAX_BYTES_OF_ALL_FILES) throw new ApiError(full("50 MB of files"));
        await bucket.put(prefix + key, value, options);
        if (signal.aborted) {
          await bucket.delete(prefix + key);
          signal.throwIfAborted();
        }
      }),
  };
}
