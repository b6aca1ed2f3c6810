import { Database } from "../db/client.ts";
import type { Engine } from "../db/engine.ts";
import { pruneKeys } from "../db/idempotency-keys.ts";
import type { Bound } from "../db/statement.ts";
import { faultOf } from "../http/log.ts";
import { deleteDueImages } from "../pet/images.ts";
import { Gone, tryRepeatedly } from "../platform/failures.ts";
import type { ImageSpace } from "../services.ts";
import type { Filling } from "./data.ts";
import { SandboxDatabase } from "./database.ts";
import type { SandboxRow } from "./database.ts";
import { pruneSessions } from "./sessions.ts";

/** The service moves the end of a sandbox at most once in this time, in milliseconds. */
const PROLONGED_EVERY_MS = 10 * 60 * 1000;

/** How long an upload may still be in flight after the end of its sandbox, in milliseconds. */
const LEFT_FOR_MS = 60 * 60 * 1000;

/** A sandbox that could not end tries again after this time, in milliseconds. */
const ENDS_AGAIN_MS = 60 * 60 * 1000;

/** How a request uses a sandbox. */
interface Use {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How long the sandbox lives after its last use, in seconds. */
  readonly seconds: number;
  /** Lets the client make a new sandbox, and counts it. @throws ApiError if it may not; Unavailable */
  readonly admit: () => Promise<void>;
  /** The initial data of a new sandbox. @throws ApiError 400 */
  readonly fillingOfNew: () => Promise<Filling | undefined>;
}

/** What handlers use of the sandbox that they run in. */
export interface InSandbox {
  readonly sandbox: Sandbox;
  /** Makes the sandbox or prolongs its life. */
  readonly use: () => Promise<void>;
}

/** The life of a sandbox in its object: from its first use until it ends. Before and after, the object holds nothing. */
export class Sandbox {
  /** What the keys of the sandbox begin with, in R2 and the limiters. No other sandbox can reach them. */
  readonly prefix: string;
  readonly #ctx: DurableObjectState;
  readonly #bucket: () => R2Bucket;
  readonly database: SandboxDatabase;
  /** How many clients read all of its data now. */
  readers = 0;
  readonly #ended: (() => void)[] = [];
  #isOpen = false;
  #row: SandboxRow | undefined;
  /** How many sandboxes of this name have ended since the object woke. */
  #life = 0;

  constructor(ctx: DurableObjectState, bucket: () => R2Bucket) {
    this.prefix = `stores/${ctx.id.toString()}/`;
    this.#ctx = ctx;
    this.#bucket = bucket;
    this.database = new SandboxDatabase(ctx.storage);
  }

  /** Registers what to call when the sandbox has ended: it clears what is kept in memory. */
  onEnd(forget: () => void): void {
    this.#ended.push(forget);
  }

  /** Opens the sandbox if it exists: an older version of the service may have made it. @throws Unavailable */
  open(): void {
    if (this.#isOpen) return;
    this.#row = this.database.open();
    this.#isOpen = true;
  }

  /** What the sandbox keeps about itself; `undefined` if it does not exist. */
  get row(): SandboxRow | undefined {
    return this.#row;
  }

  get exists(): boolean {
    return this.#row !== undefined;
  }

  /** Goes up by one when a sandbox ends. */
  get life(): number {
    return this.#life;
  }

  /** The images whose keys begin with the prefix. */
  get images(): ImageSpace {
    const { prefix } = this;
    const bucket = this.#bucket();
    return {
      head: async (key) => bucket.head(prefix + key),
      get: async (key, options) => bucket.get(prefix + key, options),
      put: async (key, value, options) => bucket.put(prefix + key, value, options),
      delete: async (keys) => bucket.delete(keys.map((key) => prefix + key)),
    };
  }

  /**
   * The database for one request. The request belongs to the life in which its first statement runs: its body is there
   * then. Later statements do not run in another life.
   * @param use makes the sandbox if it does not exist
   */
  engine(use?: () => Promise<void>): Engine {
    let life: number | undefined;
    return {
      // Nothing is tried again: there is no network between the app and this database.
      run: async (statements, how) => {
        if (life === undefined) {
          await use?.();
          life = this.#life;
        }
        if (life !== this.#life) throw new Gone("the sandbox has ended");
        return this.database.run(statements, how);
      },
    };
  }

  /** Makes or prolongs the sandbox. @returns what it was filled with, if it was made. @throws ApiError, Unavailable */
  async use({ now, seconds, admit, fillingOfNew }: Use): Promise<Filling | undefined> {
    let filling: Filling | undefined;
    if (!this.#row) {
      try {
        await admit();
        filling = await fillingOfNew();
      } catch (refusal) {
        // If many first requests arrive at once, those beyond the limit use the sandbox that another one made.
        if (!this.exists) throw refusal;
      }
    }
    const lifetime = seconds * 1000;
    const endsAt = now + lifetime + Math.min(PROLONGED_EVERY_MS, lifetime / 10);
    if (!this.#row) {
      this.#row = this.database.make(now, endsAt, filling?.statements ?? []);
      void this.#ctx.storage.setAlarm(endsAt);
      return filling;
    }
    if (now + lifetime > this.#row.endsAt) {
      this.database.rows(`UPDATE "sandbox" SET "endsAt" = ?`, endsAt);
      this.#row = { ...this.#row, endsAt };
      void this.#ctx.storage.setAlarm(endsAt);
      this.#ctx.waitUntil(this.#tidy(now));
    }
    return undefined;
  }

  /** Does what the hourly run does for the shared store. If something fails, the next run repeats it. */
  async #tidy(now: number): Promise<void> {
    const db = new Database(this.engine());
    await Promise.allSettled([
      pruneKeys(db, now),
      deleteDueImages(db, this.images, now),
      db.write(pruneSessions(now), { repeatable: true }),
    ]);
  }

  /** When it was made and ends, in milliseconds since the epoch, and how much it holds; `undefined` if it does not exist. */
  describe() {
    if (!this.#row) return undefined;
    const { madeAt, endsAt } = this.#row;
    type Counts = Record<"pets" | "orders" | "users", number>;
    // Always one row.
    const [counts] = this.database.rows<Counts>(
      "SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM users) AS users",
    ) as [Counts];
    return { madeAt, endsAt, ...counts, bytes: this.database.bytes };
  }

  /**
   * Empties the sandbox, except for its log, and runs the statements on it.
   * @returns how many rows this wrote, and whether `pet_images` now has images that must be deleted
   * @throws Full, NotUnique, Unavailable
   */
  reset(statements: readonly Bound<unknown>[]): {
    readonly rowsWritten: number;
    readonly leavesImages: boolean;
  } {
    const rowsWritten = this.database.reset(statements);
    const due = this.database.rows(`SELECT 1 FROM "pet_images" WHERE "dueAt" = 0 LIMIT 1`);
    return { rowsWritten, leavesImages: due.length > 0 };
  }

  /** Ends the sandbox: deletes everything of it in the object and in R2. @returns whether it existed */
  async end(): Promise<boolean> {
    return this.#alone(async () => this.exists && this.#end());
  }

  /** Does work while requests wait. A request may make a new sandbox afterwards. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    // An error that is thrown inside would reset the object.
    const [done] = await this.#ctx.blockConcurrencyWhile(async () => Promise.allSettled([work()]));
    if (done.status === "rejected") throw done.reason;
    return done.value;
  }

  async #end(): Promise<true> {
    const { isUploading } = this.database;
    const isMore = await this.#deleteImages();
    await this.#ctx.storage.deleteAll();
    this.#row = undefined;
    this.#life += 1;
    for (const forget of this.#ended) forget();
    // An upload may still store its image.
    if (isUploading || isMore) await this.#ctx.storage.setAlarm(Date.now() + LEFT_FOR_MS);
    return true;
  }

  /** Deletes as many images as one call lists. @returns whether there are more */
  async #deleteImages(): Promise<boolean> {
    const bucket = this.#bucket();
    const { prefix } = this;
    const { objects, truncated } = await tryRepeatedly(() => bucket.list({ prefix }));
    const keys = objects.map(({ key }) => key);
    if (keys.length > 0) await tryRepeatedly(() => bucket.delete(keys));
    return truncated;
  }

  /** Ends the sandbox if its time is over, and deletes leftover images. */
  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    // It must end even if it cannot be opened.
    const { endsAt } = this.database;
    if (endsAt !== undefined && Date.now() < endsAt) {
      await storage.setAlarm(endsAt);
      return;
    }
    try {
      await this.#alone(async () => {
        if (this.database.exists) await this.#end();
        else if (await this.#deleteImages()) await storage.setAlarm(Date.now() + LEFT_FOR_MS);
      });
    } catch (fault) {
      // The runtime repeats an alarm that fails, but gives up after some minutes.
      console.error(JSON.stringify(faultOf(fault)));
      await storage.setAlarm(Date.now() + ENDS_AGAIN_MS);
    }
  }
}
