import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import petStore from "../../migrations/0000_pet_store.sql";
import journal from "../../migrations/meta/_journal.json" with { type: "json" };
import { rethrow } from "../middleware/log.ts";
import { deleteImages } from "../pets/images.ts";
import { noSandbox } from "./errors.ts";
import { RequestLog } from "./log/request-log.ts";
import type { CountedRule } from "./rules/rules.ts";

/** What `migrate` applies to the SQLite of a Durable Object. */
export const MIGRATIONS = { journal, migrations: { m0000: petStore } };

/** The minimum time between two writes of the expiry, in milliseconds: the response waits for each. */
const EXTEND_EVERY_MS = 10 * 60 * 1000;

/** Whether the operations of a sandbox require credentials. */
interface Access {
  readonly access: "open" | "protected";
  readonly apiKey?: string;
}

const OPEN: Access = { access: "open" };

/** What a sandbox stores, except for the data of its APIs, and its lifetime. */
export class SandboxState {
  readonly storage: DurableObjectStorage;
  /** The prefix of its keys in the bucket and in rate limiters. */
  readonly prefix: string;
  readonly requests: RequestLog;
  // Kept in memory as well: reading and parsing them takes 50 µs per request.
  #expiresAt: number | undefined;
  #access: Access;
  #rules: readonly CountedRule[];
  #lifetime = new AbortController();
  #upload: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState) {
    const { kv } = ctx.storage;
    this.storage = ctx.storage;
    this.prefix = `sandboxes/${ctx.id.toString()}/`;
    this.requests = new RequestLog(ctx);
    this.#expiresAt = kv.get("expiresAt");
    this.#access = kv.get("access") ?? OPEN;
    this.#rules = JSON.parse(kv.get("rules") ?? "[]") as readonly CountedRule[];
    // An earlier version of the service may have created the sandbox.
    if (this.#expiresAt !== undefined) void ctx.blockConcurrencyWhile(async () => this.#migrate().catch(rethrow));
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
  async createOrExtend(seconds: number): Promise<void> {
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
  async queueUpload<Result>(upload: () => Promise<Result>): Promise<Result> {
    const done = this.#upload.then(upload);
    this.#upload = done.catch(() => undefined);
    return done;
  }

  /** Deletes all current files. */
  async deleteFiles(bucket: R2Bucket): Promise<void> {
    await deleteImages(bucket, this.prefix, new Date());
  }

  /** Deletes everything. In-flight and concurrent requests return 404. Throws `Unavailable`. */
  async delete(bucket: R2Bucket): Promise<void> {
    this.#lifetime.abort(noSandbox("was deleted in the meantime"));
    try {
      await this.deleteFiles(bucket);
      await this.storage.deleteAll();
      this.#expiresAt = undefined;
      this.#access = OPEN;
      this.#rules = [];
      this.requests.close();
    } finally {
      this.#lifetime = new AbortController();
    }
  }
}
