import { DurableObject } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import petStore from "../../migrations/0000_pet_store.sql";
import journal from "../../migrations/meta/_journal.json" with { type: "json" };
import type { Bindings } from "../http/env.ts";
import { deleteImages } from "../pets/images.ts";
import { createSandboxApp } from "./app.ts";
import type { SandboxEnv } from "./env.ts";
import { noSandbox } from "./lifetime.ts";
import { received } from "./origin.ts";
import { RequestLog } from "./requests.ts";
import type { CountedRule } from "./rules.ts";

/** What `migrate` applies to the SQLite of a Durable Object. */
export const MIGRATIONS = { journal, migrations: { m0000: petStore } };

/** The expiry is moved at most this often, in milliseconds: the answer waits for the write. */
const PROLONGED_EVERY_MS = 10 * 60 * 1000;

/** When the alarm tries again to delete a sandbox, in milliseconds. */
const AGAIN_MS = 60 * 60 * 1000;

/** Whether the operations of a sandbox demand credentials. */
interface Access {
  readonly access: "open" | "protected";
  readonly apiKey?: string;
}

const OPEN: Access = { access: "open" };

/** Made by the first request: an isolate that only forwards starts 0.5 ms faster. */
let app: ReturnType<typeof createSandboxApp> | undefined;

/** A private pet store: the Worker's routes over the SQLite of this object, and the bucket below a prefix. */
export class Sandbox extends DurableObject<Bindings> {
  readonly storage = this.ctx.storage;
  readonly prefix = `sandboxes/${this.ctx.id.toString()}/`;
  readonly requests = new RequestLog(this.ctx);
  // Kept in memory, too: reading and parsing them costs each request 50 µs.
  #expiresAt = this.storage.kv.get<number>("expiresAt");
  #access = this.storage.kv.get<Access>("access") ?? OPEN;
  #rules = JSON.parse(this.storage.kv.get("rules") ?? "[]") as readonly CountedRule[];
  #deletion = new AbortController();
  #upload: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    // An earlier version of the service may have made the sandbox.
    if (this.expiresAt !== undefined) void ctx.blockConcurrencyWhile(async () => this.#migrate());
  }

  override async fetch(request: Request): Promise<Response> {
    app ??= createSandboxApp();
    const { access, apiKey = "" } = this.access;
    // With keys of its own, no other sandbox uses up the attempts at a password.
    const ofSandbox = (limiter: RateLimit): RateLimit => ({
      limit: async ({ key }) => limiter.limit({ key: this.prefix + key }),
    });
    const { LOGINS, LOGINS_PER_USER } = this.env;
    const bindings: SandboxEnv["Bindings"] = {
      ...this.env,
      SANDBOX: this,
      ACCESS: access,
      API_KEY: apiKey,
      ...(LOGINS && { LOGINS: ofSandbox(LOGINS) }),
      ...(LOGINS_PER_USER && { LOGINS_PER_USER: ofSandbox(LOGINS_PER_USER) }),
    };
    return app.fetch(received(request), bindings, {
      waitUntil: (work) => this.ctx.waitUntil(work),
      passThroughOnException: () => {},
      props: {},
    });
  }

  /** The bindings of the service itself. */
  get service(): Bindings {
    return this.env;
  }

  /** Aborted when the sandbox is deleted, with the error that requests in flight get. */
  get signal(): AbortSignal {
    return this.#deletion.signal;
  }

  /** Milliseconds since the epoch. `undefined`: there is no sandbox. */
  get expiresAt(): number | undefined {
    return this.#expiresAt;
  }

  get access(): Access {
    return this.#access;
  }

  set access(access: Access) {
    this.#access = access;
    this.storage.kv.put("access", access);
  }

  get rules(): readonly CountedRule[] {
    return this.#rules;
  }

  set rules(rules: readonly CountedRule[]) {
    this.#rules = rules;
    this.storage.kv.put("rules", JSON.stringify(rules));
  }

  /** Makes the sandbox, or prolongs it. */
  async prolong(seconds: number): Promise<void> {
    const { expiresAt = 0, storage } = this;
    const ms = seconds * 1000;
    if (Date.now() + ms <= expiresAt) return;
    if (expiresAt === 0) await this.#migrate();
    this.#expiresAt = Date.now() + ms + Math.min(PROLONGED_EVERY_MS, ms / 10);
    storage.kv.put("expiresAt", this.#expiresAt);
    void storage.setAlarm(this.#expiresAt);
  }

  async #migrate(): Promise<void> {
    await migrate(drizzle(this.storage), MIGRATIONS);
    this.requests.createTable();
  }

  /** Stores one file after the other, so that each sees how much room is left. */
  async inTurn<Result>(upload: () => Promise<Result>): Promise<Result> {
    const done = this.#upload.then(upload);
    this.#upload = done.catch(() => undefined);
    return done;
  }

  /** Deletes all files that there are now. */
  async deleteFiles(): Promise<void> {
    await deleteImages(this.env.IMAGES, this.prefix, new Date());
  }

  /** Deletes everything. Requests in flight, and those that come meanwhile, answer 404. @throws Unavailable */
  async delete(): Promise<void> {
    this.#deletion.abort(noSandbox("was deleted meanwhile"));
    try {
      await this.deleteFiles();
      await this.storage.deleteAll();
      this.#expiresAt = undefined;
      this.#access = OPEN;
      this.#rules = [];
      this.requests.close();
    } finally {
      this.#deletion = new AbortController();
    }
  }

  override async alarm(): Promise<void> {
    const { expiresAt = 0 } = this;
    // A deletion removes the alarm, too. The runtime stops retrying an alarm that fails after some minutes.
    await this.storage.setAlarm(Math.max(expiresAt, Date.now() + AGAIN_MS));
    if (Date.now() < expiresAt) return;
    await this.delete().catch((error: unknown) => console.error(error));
  }

  /** Watchers only listen. */
  override webSocketMessage(): void {}
}
