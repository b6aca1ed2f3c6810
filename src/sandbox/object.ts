import { DurableObject } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import petStore from "../../migrations/0000_pet_store.sql";
import journal from "../../migrations/meta/_journal.json" with { type: "json" };
import type { Bindings } from "../env.ts";
import { ApiError } from "../errors.ts";
import { retry } from "../retry.ts";
import { readSettings } from "../settings.ts";
import type { Settings } from "../settings.ts";
import { createSandboxApp } from "./app.ts";
import { NO_SANDBOX } from "./env.ts";
import { RequestLog } from "./request-log.ts";
import type { CountedRule } from "./rules.ts";

const MIGRATIONS = { journal, migrations: { m0000: petStore } };

/** The end of a sandbox is moved at most this often, in milliseconds: each answer would wait for the write. */
const PROLONGED_EVERY_MS = 10 * 60 * 1000;

/** When an alarm that failed is tried again, in milliseconds: the runtime gives up after some minutes. */
const AGAIN_MS = 60 * 60 * 1000;

/** Whether the operations of a sandbox demand credentials. */
export type Access =
  | { readonly access: "open" }
  | { readonly access: "protected"; readonly apiKey: string };

/** Made by the first object that serves a request: an isolate that only forwards starts faster. */
let app: ReturnType<typeof createSandboxApp> | undefined;

/** A private pet store: the Worker's routes over the SQLite of this object, and the bucket below a prefix. */
export class Sandbox extends DurableObject<Bindings> {
  readonly storage = this.ctx.storage;
  /** What the keys of its files begin with. */
  readonly prefix = `sandboxes/${this.ctx.id.toString()}/`;
  requests = new RequestLog(this.ctx);
  #deletion = new AbortController();
  #upload: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    // An earlier version of the service may have made it.
    if (this.expiresAt !== undefined) void ctx.blockConcurrencyWhile(async () => this.#migrate());
  }

  override async fetch(request: Request): Promise<Response> {
    const { LOGINS, LOGINS_PER_USER } = this.env;
    const access = this.access;
    const bindings = {
      ...this.env,
      SANDBOX: this,
      ACCESS: access.access,
      API_KEY: access.access === "protected" ? access.apiKey : "",
      LOGINS: this.#limitBelow(LOGINS),
      LOGINS_PER_USER: this.#limitBelow(LOGINS_PER_USER),
    };
    app ??= createSandboxApp();
    return app.fetch(request, bindings, {
      waitUntil: (work) => this.ctx.waitUntil(work),
      passThroughOnException: () => {},
      props: {},
    });
  }

  /** The limiter with keys of its own, so that no other sandbox uses up the attempts. */
  #limitBelow(limiter: RateLimit): RateLimit {
    return { limit: async ({ key }) => limiter.limit({ key: this.prefix + key }) };
  }

  /** The settings of the service, which decide who makes a sandbox. */
  get serviceSettings(): Settings {
    return readSettings(this.env);
  }

  get bucket(): R2Bucket {
    return this.env.IMAGES;
  }

  /** Milliseconds since the epoch. `undefined`: the sandbox does not exist. */
  get expiresAt(): number | undefined {
    return this.storage.kv.get("expiresAt");
  }

  /** Aborted when the sandbox is deleted, with the error that requests in flight get. */
  get signal(): AbortSignal {
    return this.#deletion.signal;
  }

  /** Makes the sandbox, or prolongs it. */
  async use(seconds: number): Promise<void> {
    const { expiresAt = 0, storage } = this;
    const least = Date.now() + seconds * 1000;
    if (expiresAt === 0) await this.#migrate();
    if (least <= expiresAt) return;
    const next = least + Math.min(PROLONGED_EVERY_MS, seconds * 100);
    storage.kv.put("expiresAt", next);
    void storage.setAlarm(next);
  }

  async #migrate(): Promise<void> {
    await migrate(drizzle(this.storage), MIGRATIONS);
    this.requests.createTable();
  }

  get access(): Access {
    return this.storage.kv.get("access") ?? { access: "open" };
  }

  set access(access: Access) {
    this.storage.kv.put("access", access);
  }

  get rules(): CountedRule[] {
    return JSON.parse(this.storage.kv.get("rules") ?? "[]") as CountedRule[];
  }

  set rules(rules: readonly CountedRule[]) {
    this.storage.kv.put("rules", JSON.stringify(rules));
  }

  /** Stores one file after the other, so that each sees how much room is left. */
  async inTurn<Result>(upload: () => Promise<Result>): Promise<Result> {
    const done = this.#upload.then(upload);
    this.#upload = done.catch(() => undefined);
    return done;
  }

  /** Deletes the files that are stored now. */
  async deleteFiles(): Promise<void> {
    const { bucket, prefix } = this;
    // One call lists 1,000, and a sandbox has at most 100.
    const { objects } = await retry(() => bucket.list({ prefix }));
    if (objects.length > 0) await retry(() => bucket.delete(objects.map(({ key }) => key)));
  }

  /** Deletes everything. Requests that arrive meanwhile wait, and may make a new sandbox. @throws Unavailable */
  async delete(): Promise<void> {
    const [done] = await this.ctx.blockConcurrencyWhile(async () =>
      // An error that is thrown inside would reset the object.
      Promise.allSettled([this.#delete()]),
    );
    if (done.status === "rejected") throw done.reason;
  }

  async #delete(): Promise<void> {
    await this.deleteFiles();
    await this.storage.deleteAlarm();
    await this.storage.deleteAll();
    this.#deletion.abort(new ApiError(NO_SANDBOX));
    this.#deletion = new AbortController();
    this.requests.close();
    this.requests = new RequestLog(this.ctx);
  }

  override async alarm(): Promise<void> {
    const { expiresAt = 0 } = this;
    if (Date.now() < expiresAt) return this.storage.setAlarm(expiresAt);
    try {
      await this.delete();
    } catch (error) {
      console.error(JSON.stringify({ error: String(error) }));
      await this.storage.setAlarm(Date.now() + AGAIN_MS);
    }
  }

  /** Watchers only listen. */
  override webSocketMessage(): void {}
}
