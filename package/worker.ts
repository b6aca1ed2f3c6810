// The package's Worker. `/v2` and `/api/v3` are served by one Durable Object, as a sandbox is, so the data is local to them.
import { DurableObject } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import type { Handler } from "hono";
import * as v from "valibot";
import type { Sessions } from "../src/auth/sessions.ts";
import { ATTEMPTS, retry } from "../src/db/retry.ts";
import { sha256 } from "../src/db/sha256.ts";
import type { AppEnv } from "../src/http/env.ts";
import { toFieldErrors } from "../src/http/errors.ts";
import { isSafeMethod } from "../src/http/operation.ts";
import { getSettings, type Bindings, type Limiters } from "../src/http/settings.ts";
import { createApp, rejectMethod, baseMiddleware } from "../src/middleware/app.ts";
import { hasValidHost, validHost } from "../src/middleware/host.ts";
import { Data, replaceData } from "../src/sandbox/data.ts";
import { SandboxObject } from "../src/sandbox/object.ts";
import { MIGRATIONS } from "../src/sandbox/state.ts";
import { endSessions } from "../src/sandbox/storage.ts";
import { createServiceApp } from "../src/app.ts";
import { v2 } from "../src/v2.ts";
import { v3 } from "../src/v3.ts";
import { createBucket, type Files } from "./files.ts";
import { createLimiter } from "./limiter.ts";
import type { Outcome, WorkerSettings } from "./server.ts";

export { Files } from "./files.ts";

/** The bindings in config.capnp, which scripts/package.ts writes. */
export interface PackageEnv extends Omit<Env, "DB" | "SESSIONS" | "IMAGES" | keyof Limiters> {
  readonly STORE: DurableObjectNamespace<Store>;
  readonly FILES: DurableObjectNamespace<Files>;
  readonly SETTINGS: WorkerSettings;
  readonly LIMITS: Readonly<Record<"LOGINS" | "LOGINS_PER_USER", Parameters<typeof createLimiter>[0]>>;
  /** The beginnings of the paths of static pages. */
  readonly PAGES: readonly string[];
}

/** The service's bindings. They are made once, because workerd runs the Worker and all Durable Objects in one isolate. */
let bindings: Bindings | undefined;

function getBindings(env: PackageEnv): Bindings {
  if (bindings) return bindings;
  const { SETTINGS, LIMITS, FILES } = env;
  if (SETTINGS.isQuiet) console.log = () => undefined;
  const service = {
    ...env,
    ...SETTINGS.vars,
    // No proxy in front is known to write CF-Connecting-IP.
    BEHIND_CLOUDFLARE: "no",
    IMAGES: createBucket(FILES),
    LOGINS: createLimiter(LIMITS.LOGINS),
    LOGINS_PER_USER: createLimiter(LIMITS.LOGINS_PER_USER),
  };
  // There is neither D1 nor KV: the Durable Object has its own database and sessions.
  bindings = service as unknown as Bindings;
  return bindings;
}

/** A sandbox, with its files in the package's bucket. */
export class Sandbox extends SandboxObject {
  override readonly apis = { "/v2": v2, "/api/v3": v3 };

  constructor(ctx: DurableObjectState, env: PackageEnv) {
    super(ctx, getBindings(env));
  }
}

/** How often expired sessions are deleted, in milliseconds. */
const SWEEP_MS = 60 * 60 * 1000;

/** Serves both APIs from the SQLite of this object. */
export class Store extends DurableObject<PackageEnv> {
  readonly #storage = this.ctx.storage;
  readonly #db = drizzle(this.#storage);
  readonly #bindings = getBindings(this.env);
  readonly #service = createServiceApp(async (c, next) => {
    c.set("db", this.#db);
    c.set("sessions", this.#sessions);
    c.set("images", this.#bindings.IMAGES);
    await next();
  });
  #nextSweep = 0;
  #outcome: Outcome = { error: "The store is not ready." };

  constructor(ctx: DurableObjectState, env: PackageEnv) {
    super(ctx, env);
    // Requests wait, so no client sees a store without its data.
    void ctx.blockConcurrencyWhile(async () => {
      this.#outcome = await this.#prepare();
    });
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  override async fetch(request: Request): Promise<Response> {
    if ("error" in this.#outcome) return new Response(this.#outcome.error, { status: 500 });
    return this.#service.fetch(request, this.#bindings, {
      waitUntil: (work) => this.ctx.waitUntil(work),
      passThroughOnException: () => {},
      props: {},
    });
  }

  /** Validates the data, migrates the database, and fills a new one. */
  async #prepare(): Promise<Outcome> {
    const { data } = this.env.SETTINGS;
    const { success, output, issues } = v.safeParse(Data, typeof data === "string" ? { data } : data);
    if (!success) {
      const errors = toFieldErrors(issues, "data").map(({ path, message }) => `${path} ${message}`);
      return { error: `The data is invalid: ${errors.join("; ")}` };
    }
    const hashes = await Promise.all(Object.values(MIGRATIONS.migrations).map(sha256));
    const applied = this.#storage.kv.get<string[]>("migrations");
    if (applied?.some((hash, index) => hash !== hashes[index])) {
      return { error: "Another version created this folder. Delete it to start over." };
    }
    // A full disk can still be read.
    if (applied?.length === hashes.length) return { isNew: false };
    await migrate(this.#db, MIGRATIONS);
    if (!applied) await replaceData(this.#db, output, getSettings(this.#bindings).passwordKeys);
    this.#storage.kv.put("migrations", hashes);
    return { isNew: !applied };
  }

  /** Sessions, as Workers KV keeps them in production. */
  readonly #sessions: Sessions = {
    get: async (key) => this.#storage.kv.get<string>(`session:${key}`) ?? null,
    put: async (key, value) => {
      const now = Date.now();
      if (now > this.#nextSweep) {
        endSessions(this.#storage, now);
        this.#nextSweep = now + SWEEP_MS;
      }
      this.#storage.kv.put(`session:${key}`, value);
    },
    delete: async (key) => {
      this.#storage.kv.delete(`session:${key}`);
    },
  };
}

/** Serves `/sandboxes`. Created by the first request that needs it. */
let sandboxes: ReturnType<typeof createServiceApp> | undefined;

/** Responds with a handler inside the base middleware. */
const respond = (handler: Handler<AppEnv>, ...[request, env, context]: Parameters<typeof serve>) =>
  createApp()
    .use(...baseMiddleware, handler)
    .fetch(request, getBindings(env), context);

/** Serves a static page. @returns `undefined` if there is no such page */
async function servePage(path: string, ...[request, env, context]: Parameters<typeof serve>) {
  // Not the client's host: workerd fails to find a page at one like `xn--a`.
  const url = new URL(path, "http://assets");
  const page = await env.ASSETS.fetch(url, isSafeMethod(request) ? request : {});
  if (page.status === 404) return undefined;
  if (!isSafeMethod(request)) return respond((c) => rejectMethod(c, ["GET"]), request, env, context);
  const response = new Response(page.body, page);
  response.headers.set("Date", new Date().toUTCString());
  return response;
}

async function serve(request: Request, env: PackageEnv, context: ExecutionContext): Promise<Response> {
  if (!hasValidHost(request)) return respond(validHost, request, env, context);
  // As the client sent it, and as Hono reads it: `..` is not resolved.
  const path = request.url.slice(request.url.indexOf("/", "https://".length));
  const store = () => env.STORE.getByName("store");
  if (path === env.SETTINGS.startPath) return Response.json(await store().outcome);
  if (env.PAGES.some((beginning) => path.startsWith(beginning))) {
    const page = await servePage(path, request, env, context);
    if (page) return page;
  }
  if (/^\/sandboxes(?:[/?]|$)/.test(path)) {
    sandboxes ??= createServiceApp(async (_, next) => next());
    return sandboxes.fetch(request, getBindings(env), context);
  }
  try {
    return await retry(async () => store().fetch(request), isSafeMethod(request) ? ATTEMPTS : 1);
  } catch (error) {
    return respond(
      () => {
        throw error;
      },
      request,
      env,
      context,
    );
  }
}

export default { fetch: serve } satisfies ExportedHandler<PackageEnv>;
