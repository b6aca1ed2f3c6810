import { DurableObject } from "cloudflare:workers";
import { Database } from "../db/client.ts";
import { saysNotUnique } from "../db/engine.ts";
import { pruneKeys } from "../db/idempotency-keys.ts";
import { MIGRATIONS } from "../db/migrations.ts";
import type { Bound } from "../db/statement.ts";
import { faultOf } from "../http/record.ts";
import { deleteDueImages } from "../pet/images.ts";
import type { FaultRule } from "./contract.ts";
import { FaultRules } from "./faults.ts";
import type { FaultState, RequestFacts } from "./faults.ts";
import { RequestLog } from "./log.ts";
import type { LoggedRequest } from "./log.ts";
import { deleteBelow, imagesBelow, prefixOf } from "./spaces.ts";

/** Largest database of a store, in bytes. */
const MAX_BYTES = 10_000_000;

/** The largest number of images of a store. */
const MAX_IMAGES = 100;

/** The messages for a write that would make the store larger than it may be. */
const FULL = {
  bytes: `the store is full: it has at most ${MAX_BYTES / 1e6} MB`,
  images: `the store is full: it has at most ${MAX_IMAGES} images`,
} as const;

/** The service moves the end of a store at most once in this time, in milliseconds. */
const PROLONGED_EVERY_MS = 10 * 60 * 1000;

/** By this time after the end of a store, an upload that was in progress is over, in milliseconds. */
const LEFT_FOR_MS = 60 * 60 * 1000;

/** If a store could not end, it tries again after this time, in milliseconds. */
const ENDS_AGAIN_MS = 60 * 60 * 1000;

/** What a store has in addition to the tables of the service: one row about itself, and the limit of its images. */
const OWN_TABLE = `CREATE TABLE "own_store" (
  "madeAt" INTEGER NOT NULL,
  "endsAt" INTEGER NOT NULL,
  "migrations" INTEGER NOT NULL,
  "faults" TEXT NOT NULL
) STRICT;`;
const OWN_LIMIT = `CREATE TRIGGER "own_store_images" BEFORE INSERT ON "pet_images"
WHEN (SELECT count(*) FROM "pet_images" WHERE "dueAt" IS NOT 0 AND "name" <> NEW."name") >= ${MAX_IMAGES}
BEGIN
  SELECT RAISE(ABORT, '${FULL.images}');
END;`;

/**
 * Tables that are not emptied when a store is: triggers count the inventory and mark the images, and the sequences begin
 * again. Creating all tables again would need no list, and would take twice as long.
 */
const KEPT = `'own_store', 'inventory', 'pet_images', 'id_sequences'`;
const TABLES_TO_EMPTY = `SELECT "name" FROM "sqlite_schema"
WHERE "type" = 'table' AND "name" NOT IN (${KEPT}) AND "name" NOT GLOB '_cf_*' AND "name" NOT GLOB 'sqlite_*'`;
const BEGIN_SEQUENCES = `UPDATE "id_sequences" SET "next" = iif("resource" = 'orders', 11, 1)`;

const MISSING: Missing = { kind: "missing" };

interface OwnRow {
  /** Milliseconds since the epoch, as `endsAt`. */
  readonly madeAt: number;
  readonly endsAt: number;
  /** How many of `MIGRATIONS` were applied. */
  readonly migrations: number;
  /** JSON: `FaultState[]`. */
  readonly faults: string;
}

/** How a request uses a store. */
export interface Use {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How long the store lives after its last use, in seconds. */
  readonly seconds: number;
  /** Whether the store is made if it does not exist. */
  readonly create: boolean;
}

/** The store does not exist, and the call must not make it. */
export interface Missing {
  readonly kind: "missing";
}

/** Nothing was done, because of a constraint or a limit. */
export interface Refused {
  readonly kind: "refused";
  readonly message: string;
}

/** The result of statements. */
export type Ran =
  | { readonly kind: "ran"; readonly rows: unknown[][]; readonly fault: FaultRule | undefined }
  /** Nothing was done, because a rule makes the request fail. */
  | { readonly kind: "prevented"; readonly fault: FaultRule };

/** What a store says about itself. */
export interface Description {
  /** Milliseconds since the epoch, as `endsAt`. */
  readonly madeAt: number;
  readonly endsAt: number;
  readonly pets: number;
  readonly orders: number;
  readonly users: number;
  readonly bytes: number;
}

/**
 * A store of one's own: the tables of the service in the database of a Durable Object. It exists from its first use
 * until it ends. Before and after, the object holds nothing.
 */
export class StoreObject extends DurableObject<Env> {
  /** `undefined` if the store does not exist. */
  #own: OwnRow | undefined;
  #faults = new FaultRules([]);
  readonly #log = new RequestLog();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (this.#rows("SELECT 1 FROM sqlite_schema WHERE name = 'own_store'").length === 0) return;
    this.#own = this.#rows("SELECT * FROM own_store")[0] as unknown as OwnRow;
    this.#faults = new FaultRules(JSON.parse(this.#own.faults) as FaultState[]);
    const { migrations } = this.#own;
    if (migrations < MIGRATIONS.length) {
      ctx.storage.transactionSync(() => this.#migrate(migrations));
    }
  }

  /**
   * Runs statements as one transaction.
   * @param writes whether one of them writes
   * @param facts what the rules for faults look at; `undefined` if they were checked before
   */
  run(
    statements: readonly Bound<unknown>[],
    {
      writes,
      facts,
      ...use
    }: Use & { readonly writes: boolean; readonly facts: RequestFacts | undefined },
  ): Ran | Missing | Refused {
    if (!this.#begin(use)) return MISSING;
    const fault = facts && this.#nextFault(facts);
    if (fault?.status !== undefined && !fault.after) return { kind: "prevented", fault };
    return refusing(() => ({
      kind: "ran",
      rows: writes ? this.#write(() => this.#runAll(statements)) : this.#runAll(statements),
      fault,
    }));
  }

  /**
   * Empties the store, ids included, runs the statements on it, and empties the log.
   * @returns whether `pet_images` now has images that must be deleted
   */
  reset(
    statements: readonly Bound<unknown>[],
    use: Use,
  ): { readonly leavesImages: boolean } | Missing | Refused {
    if (!this.#begin(use)) return MISSING;
    return refusing(() => {
      this.#write(() => {
        this.#empty();
        return this.#runAll(statements);
      });
      const images = this.#rows(`SELECT 1 FROM "pet_images" WHERE "dueAt" = 0 LIMIT 1`);
      this.#log.clear();
      return { leavesImages: images.length > 0 };
    });
  }

  describe(): Description | undefined {
    if (!this.#own) return undefined;
    const { madeAt, endsAt } = this.#own;
    const [counts] = this.#rows(
      "SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM users) AS users",
    ) as unknown as [Pick<Description, "pets" | "orders" | "users">];
    return { madeAt, endsAt, ...counts, bytes: this.ctx.storage.sql.databaseSize };
  }

  /** Ends the store: deletes everything of it in the object, in R2 and in KV. @returns whether it existed */
  async end(): Promise<boolean> {
    // Requests wait until this is done, and then make a new store. An error that is thrown inside would break the
    // object.
    const [ended] = await this.ctx.blockConcurrencyWhile(async () =>
      Promise.allSettled([this.#end()]),
    );
    if (ended.status === "rejected") throw ended.reason;
    return ended.value;
  }

  async #end(): Promise<boolean> {
    if (!this.#own) return false;
    const isUploading =
      this.#rows(`SELECT 1 FROM "pet_images" WHERE "dueAt" > 0 LIMIT 1`).length > 0;
    const more = await deleteBelow(prefixOf(this.ctx.id), this.env);
    await this.ctx.storage.deleteAll();
    this.#own = undefined;
    this.#faults = new FaultRules([]);
    this.#log.clear();
    for (const socket of this.ctx.getWebSockets()) socket.close(1001, "the store has ended");
    // An upload may still store its image.
    if (isUploading || more) await this.ctx.storage.setAlarm(Date.now() + LEFT_FOR_MS);
    return true;
  }

  override async alarm(): Promise<void> {
    if (this.#own && Date.now() < this.#own.endsAt) {
      await this.ctx.storage.setAlarm(this.#own.endsAt);
      return;
    }
    try {
      if (this.#own) await this.end();
      else if (await deleteBelow(prefixOf(this.ctx.id), this.env)) {
        await this.ctx.storage.setAlarm(Date.now() + LEFT_FOR_MS);
      }
    } catch (fault) {
      // The runtime repeats an alarm that fails, but gives up after some minutes.
      console.error(JSON.stringify(faultOf(fault)));
      await this.ctx.storage.setAlarm(Date.now() + ENDS_AGAIN_MS);
    }
  }

  /** The rules for faults, with how often each was used; `undefined` if the store does not exist. */
  faults(): readonly FaultState[] | undefined {
    return this.#own && this.#faults.states;
  }

  /** Replaces the rules for faults. */
  setFaults(rules: readonly FaultRule[], use: Use): Missing | undefined {
    if (!this.#begin(use)) return MISSING;
    this.#replaceFaults(rules);
    return undefined;
  }

  /** Ends the rules for faults. @returns whether the store exists */
  endFaults(): boolean {
    if (this.#own) this.#replaceFaults([]);
    return this.#own !== undefined;
  }

  /**
   * Adds requests to the log and sends them to the pages that watch the store. Drops them if the store does not exist.
   */
  record(requests: readonly LoggedRequest[]): void {
    if (!this.#own) return;
    this.#log.add(requests);
    const message = JSON.stringify(requests);
    for (const socket of this.ctx.getWebSockets()) {
      // One that has not hung up yet after an earlier store of this name ended is closing.
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    }
  }

  /** The last requests, newest first; `undefined` if the store does not exist. */
  requests(): readonly LoggedRequest[] | undefined {
    return this.#own && this.#log.requests;
  }

  /** A client watches the store by WebSocket: it gets the log, then each request. */
  override fetch(): Response {
    if (!this.#own) return new Response(null, { status: 404 });
    const [page, here] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    // The page stays connected while the object sleeps.
    this.ctx.acceptWebSocket(here);
    here.send(JSON.stringify(this.#log.requests));
    return new Response(null, { status: 101, webSocket: page });
  }

  /** Makes or prolongs the store. @returns whether it exists now */
  #begin({ now, seconds, create }: Use): boolean {
    const lifetime = seconds * 1000;
    const margin = Math.min(PROLONGED_EVERY_MS, lifetime / 10);
    const endsAt = now + lifetime + margin;
    if (!this.#own) {
      if (!create) return false;
      this.ctx.storage.transactionSync(() => {
        this.#rows(OWN_TABLE);
        this.#rows(`INSERT INTO "own_store" VALUES (?, ?, 0, '[]')`, now, endsAt);
        this.#migrate(0);
      });
      this.#own = { madeAt: now, endsAt, migrations: MIGRATIONS.length, faults: "[]" };
      void this.ctx.storage.setAlarm(endsAt);
    } else if (now + lifetime > this.#own.endsAt) {
      this.#rows(`UPDATE "own_store" SET "endsAt" = ?`, endsAt);
      this.#own = { ...this.#own, endsAt };
      void this.ctx.storage.setAlarm(endsAt);
      this.ctx.waitUntil(this.#tidy(now));
    }
    return true;
  }

  /** Does what the hourly run does for the shared store. If something fails, the next run repeats it. */
  async #tidy(now: number): Promise<void> {
    const db = new Database({ run: async (statements) => this.#runAll(statements) });
    const images = imagesBelow(prefixOf(this.ctx.id), this.env.IMAGES);
    await Promise.allSettled([pruneKeys(db, now), deleteDueImages(db, images, now)]);
  }

  /** Applies the migrations from this one on. */
  #migrate(first: number): void {
    for (const migration of MIGRATIONS.slice(first)) this.#rows(migration);
    if (first === 0) this.#rows(OWN_LIMIT);
    this.#rows(`UPDATE "own_store" SET "migrations" = ?`, MIGRATIONS.length);
  }

  /** Brings the store to the state of a new one. */
  #empty(): void {
    for (const { name } of this.#rows(TABLES_TO_EMPTY))
      this.#rows(`DELETE FROM "${name as string}"`);
    this.#rows(BEGIN_SEQUENCES);
  }

  /** Runs one transaction. It is undone if it leaves the store larger than it may be. */
  #write(work: () => unknown[][]): unknown[][] {
    const { storage } = this.ctx;
    return storage.transactionSync(() => {
      const before = storage.sql.databaseSize;
      const rows = work();
      const after = storage.sql.databaseSize;
      if (after > MAX_BYTES && after > before) {
        throw new Error(FULL.bytes);
      }
      return rows;
    });
  }

  #runAll(statements: readonly Bound<unknown>[]): unknown[][] {
    return statements.map(({ sql, values }) => this.#rows(sql, ...values));
  }

  #rows(sql: string, ...values: unknown[]): Record<string, SqlStorageValue>[] {
    const cursor = this.ctx.storage.sql.exec(sql, ...values);
    const names = cursor.columnNames;
    // `toArray()` of the cursor itself gives the same objects, in more time.
    return Array.from(cursor.raw(), (row) =>
      Object.fromEntries(row.map((value, index) => [names[index], value])),
    );
  }

  #nextFault(facts: RequestFacts): FaultRule | undefined {
    const before = this.#faults.states;
    const fault = this.#faults.next(facts);
    if (this.#faults.states !== before) this.#keepFaults();
    return fault;
  }

  #replaceFaults(rules: readonly FaultRule[]): void {
    this.#faults = new FaultRules(rules.map((rule) => ({ rule, met: 0, used: 0 })));
    this.#keepFaults();
  }

  #keepFaults(): void {
    this.#rows(`UPDATE "own_store" SET "faults" = ?`, JSON.stringify(this.#faults.states));
  }
}

/** Returns a constraint or a limit that refused statements as an answer. Throws any other fault. */
function refusing<Answer>(work: () => Answer): Answer | Refused {
  try {
    return work();
  } catch (fault) {
    const { message } = fault as Error;
    // SQLite adds text to the message of a trigger.
    const full = Object.values(FULL).find((reason) => message.startsWith(reason));
    if (full !== undefined || saysNotUnique(message)) {
      return { kind: "refused", message: full ?? message };
    }
    throw fault;
  }
}
