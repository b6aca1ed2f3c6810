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
import type { Apis } from "./operations.ts";
import { received } from "./origin.ts";
import { RequestLog } from "./request-log.ts";
import type { CountedRule } from "./rules.ts";

/** What `migrate` applies to the SQLite of a Durable Object. */
export const MIGRATIONS = { journal, migrations: { m0000: petStore } };

/** The minimum time between two writes of the expiry, in milliseconds: the response waits for each. */
const EXTEND_EVERY_MS = 10 * 60 * 1000;

/** When the alarm retries the deletion of a sandbox, in milliseconds. */
const RETRY_MS = 60 * 60 * 1000;

/** Whether the operations of a sandbox require credentials. */
interface Access {
  readonly access: "open" | "protected";
  readonly apiKey?: string;
}

const OPEN: Access = { access: "open" };

/** Whether an endpoint may send this code in a Close frame (RFC 6455, section 7.4). */
const isSendable = (code: number): boolean => code >= 1000 && code < 5000 && ![1004, 1005, 1006, 1015].includes(code);

/** Created by the first request, because an isolate that only proxies starts 0.5 ms faster without it. */
let app: ReturnType<typeof createSandboxApp> | undefined;

/** A private pet store: the APIs over the SQLite of a Durable Object, and over the bucket below a prefix. */
export abstract class SandboxObject extends DurableObject<Bindings> {
  /** The APIs by their base path. */
  abstract readonly apis: Apis;
  readonly storage = this.ctx.storage;
  readonly prefix = `sandboxes/${this.ctx.id.toString()}/`;
  readonly requests = new RequestLog(this.ctx);
  // Kept in memory as well: reading and parsing them takes 50 µs per request.
  #expiresAt = this.storage.kv.get<number>("expiresAt");
  #access = this.storage.kv.get<Access>("access") ?? OPEN;
  #bindings: SandboxEnv["Bindings"] | undefined;
  #rules = JSON.parse(this.storage.kv.get("rules") ?? "[]") as readonly CountedRule[];
  #lifetime = new AbortController();
  #upload: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    // An earlier version of the service may have created the sandbox.
    if (this.expiresAt !== undefined) void ctx.blockConcurrencyWhile(async () => this.#migrate());
  }

  override async fetch(request: Request): Promise<Response> {
    app ??= createSandboxApp(this.apis);
    // Kept until the access changes, because the settings are parsed once per bindings object.
    this.#bindings ??= this.#createBindings();
    return app.fetch(received(request), this.#bindings, {
      waitUntil: (work) => this.ctx.waitUntil(work),
      passThroughOnException: () => {},
      props: {},
    });
  }

  #createBindings(): SandboxEnv["Bindings"] {
    const { access, apiKey = "" } = this.access;
    // Prefix the keys, so that no other sandbox uses up the password attempts.
    const ofSandbox = (limiter: RateLimit): RateLimit => ({
      limit: async ({ key }) => limiter.limit({ key: this.prefix + key }),
    });
    const { LOGINS, LOGINS_PER_USER } = this.env;
    return {
      ...this.env,
      SANDBOX: this,
      ACCESS: access,
      API_KEY: apiKey,
      ...(LOGINS && { LOGINS: ofSandbox(LOGINS) }),
      ...(LOGINS_PER_USER && { LOGINS_PER_USER: ofSandbox(LOGINS_PER_USER) }),
    };
  }

  /** The bindings of the service itself. */
  get service(): Bindings {
    return this.env;
  }

  /** Aborted when the sandbox is deleted, with the error of requests in flight. */
  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }

  /** Milliseconds since the epoch; `undefined` if the sandbox does not exist. */
  get expiresAt(): number | undefined {
    return this.#expiresAt;
  }

  get access(): Access {
    return this.#access;
  }

  set access(access: Access) {
    this.#access = access;
    this.#bindings = undefined;
    this.storage.kv.put("access", access);
  }

  get rules(): readonly CountedRule[] {
    return this.#rules;
  }

  set rules(rules: readonly CountedRule[]) {
    this.#rules = rules;
    this.storage.kv.put("rules", JSON.stringify(rules));
  }

  /** Creates the sandbox, or extends its lifetime. */
  async extend(seconds: number): Promise<void> {
    const { expiresAt = 0, storage } = this;
    const ms = seconds * 1000;
    if (Date.now() + ms <= expiresAt) return;
    if (expiresAt === 0) await this.#migrate();
    this.#expiresAt = Date.now() + ms + Math.min(EXTEND_EVERY_MS, ms / 10);
    storage.kv.put("expiresAt", this.#expiresAt);
    void storage.setAlarm(this.#expiresAt);
  }

  async #migrate(): Promise<void> {
    await migrate(drizzle(this.storage), MIGRATIONS);
    this.requests.createTable();
  }

  /** Runs uploads one after the other, so that each sees how much room is left. */
  async inTurn<Result>(upload: () => Promise<Result>): Promise<Result> {
    const done = this.#upload.then(upload);
    this.#upload = done.catch(() => undefined);
    return done;
  }

  /** Deletes all current files. */
  async deleteFiles(): Promise<void> {
    await deleteImages(this.env.IMAGES, this.prefix, new Date());
  }

  /** Deletes everything. In-flight and concurrent requests return 404. Throws `Unavailable`. */
  async delete(): Promise<void> {
    this.#lifetime.abort(noSandbox("was deleted in the meantime"));
    try {
      await this.deleteFiles();
      await this.storage.deleteAll();
      this.#expiresAt = undefined;
      this.#access = OPEN;
      this.#bindings = undefined;
      this.#rules = [];
      this.requests.close();
    } finally {
      this.#lifetime = new AbortController();
    }
  }

  override async alarm(): Promise<void> {
    const { expiresAt = 0 } = this;
    // The deletion removes the alarm as well. The runtime stops retrying an alarm that fails after some minutes.
    await this.storage.setAlarm(Math.max(expiresAt, Date.now() + RETRY_MS));
    if (Date.now() < expiresAt) return;
    await this.delete().catch((error: unknown) => console.error(error));
  }

  /** Clients only listen. */
  override webSocketMessage(): void {}

  /** Responds to a Close frame (RFC 6455, section 5.5.1). A dropped connection has the code 1006, which must not be sent. */
  override webSocketClose(socket: WebSocket, code: number, reason: string, wasClean: boolean): void {
    if (!wasClean) return;
    if (code === 1005) socket.close(1000, reason);
    else if (isSendable(code)) socket.close(code, reason);
    else socket.close(1002);
  }
}
