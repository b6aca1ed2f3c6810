import { NotUnique, saysNotUnique } from "../db/engine.ts";
import type { Run } from "../db/engine.ts";
import { MIGRATIONS } from "../db/migrations.ts";
import type { Bound } from "../db/statement.ts";
import { Full, Unavailable } from "../platform/failures.ts";

/** Largest database of a sandbox, in bytes, without its log. */
const MAX_BYTES = 10_000_000;

/** The largest number of images of a sandbox. */
const MAX_IMAGES = 100;

/** The messages of 507, for a write that would make the sandbox larger than it may be. */
export const FULL = [
  `the store is full: it has at most ${MAX_BYTES / 1e6} MB`,
  `the store is full: it has at most ${MAX_IMAGES} images`,
] as const;

/**
 * What a sandbox has besides the tables of the service: one row about itself, its sessions, its log, in rows of requests
 * that were written together (`last` is the id of the last of them), and what holds of the log, as JSON. The code and the
 * tables of an object change together, when it wakes. So a column that comes later may be used at once, but it needs a
 * statement in `open` that adds it to a sandbox that an older version made.
 */
const OWN_TABLES = `CREATE TABLE IF NOT EXISTS "own_store" (
  "madeAt" INTEGER NOT NULL,
  "endsAt" INTEGER NOT NULL,
  "migrations" INTEGER NOT NULL,
  "faults" TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS "own_sessions" (
  "key" TEXT PRIMARY KEY,
  "value" TEXT NOT NULL,
  "expiresAt" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS "own_log" (
  "last" INTEGER PRIMARY KEY,
  "count" INTEGER NOT NULL,
  "entries" TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS "own_record" (
  "key" TEXT PRIMARY KEY,
  "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;`;
const IMAGES_LIMIT = `CREATE TRIGGER IF NOT EXISTS "own_store_images" BEFORE INSERT ON "pet_images"
WHEN (SELECT count(*) FROM "pet_images" WHERE "dueAt" IS NOT 0) >= ${MAX_IMAGES}
BEGIN
  SELECT RAISE(ABORT, '${FULL[1]}');
END;`;

/**
 * Tables that are not emptied when a sandbox is: triggers count the inventory and mark the images, the sequences begin
 * again, and the log empties itself. Creating all tables again would need no list, and would take twice as long.
 */
const KEPT = `'own_store', 'own_log', 'own_record', 'inventory', 'pet_images', 'id_sequences'`;
const TABLES_TO_EMPTY = `SELECT "name" FROM "sqlite_schema"
WHERE "type" = 'table' AND "name" NOT IN (${KEPT}) AND "name" NOT GLOB '_cf_*' AND "name" NOT GLOB 'sqlite_*'`;
/**
 * Most rows of a sandbox may be tags. To empty their table writes a row for each, and to make it again two. But then
 * every statement is compiled again, which takes as long as a reset with few tags.
 */
const MANY_TAGS = `SELECT group_concat("sql", ';') AS "sql" FROM "sqlite_schema"
WHERE "tbl_name" = 'pet_tags' HAVING (SELECT count(*) FROM "pet_tags") > 1000`;
const BEGIN_SEQUENCES = `UPDATE "id_sequences" SET "next" = iif("resource" = 'orders', 11, 1)`;

/** A row by the names of its columns. */
export type Row = Record<string, SqlStorageValue>;

/** What a sandbox knows about itself. */
export interface OwnRow {
  /** Milliseconds since the epoch, as `endsAt`. */
  readonly madeAt: number;
  readonly endsAt: number;
  /** How many of `MIGRATIONS` were applied. */
  readonly migrations: number;
  /** JSON: `FaultState[]`. */
  readonly faults: string;
}

/** The database of a sandbox's object. */
export class SandboxDatabase {
  readonly #storage: DurableObjectStorage;
  /** As Cloudflare bills for them. */
  #rowsWritten = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** What is stored, even if it cannot be migrated; `undefined` if there is no sandbox. */
  get own(): OwnRow | undefined {
    const made = this.rows(`SELECT 1 FROM "sqlite_schema" WHERE "name" = 'own_store'`);
    if (made.length === 0) return undefined;
    const [own] = this.rows(`SELECT * FROM "own_store"`) as unknown as [OwnRow];
    return own;
  }

  /** Opens the database, with the migrations that it lacks. @returns `undefined` if there is no sandbox */
  open(): OwnRow | undefined {
    if (!this.own) return undefined;
    return this.#storage.transactionSync(() => {
      // An earlier version made fewer of them.
      this.rows(OWN_TABLES);
      return this.#migrate();
    });
  }

  /**
   * Makes a sandbox in an empty database, and runs the statements on it.
   * @param madeAt milliseconds since the epoch, as `endsAt`
   * @throws Full, Unavailable
   */
  make(madeAt: number, endsAt: number, statements: readonly Bound<unknown>[]): OwnRow {
    return refusing(() =>
      this.#write(() => {
        this.rows(OWN_TABLES);
        this.rows(`INSERT INTO "own_store" VALUES (?, ?, 0, '[]')`, madeAt, endsAt);
        const own = this.#migrate();
        for (const { sql, values } of statements) this.rows(sql, ...values);
        return own;
      }),
    );
  }

  #migrate(): OwnRow {
    const own = this.own as OwnRow;
    // A newer version may have made it.
    if (own.migrations >= MIGRATIONS.length) return own;
    for (const migration of MIGRATIONS.slice(own.migrations)) this.rows(migration);
    this.rows(IMAGES_LIMIT);
    this.rows(`UPDATE "own_store" SET "migrations" = ?`, MIGRATIONS.length);
    return { ...own, migrations: MIGRATIONS.length };
  }

  /** Runs one statement, or several without values. */
  rows(sql: string, ...values: unknown[]): Row[] {
    const cursor = this.#storage.sql.exec(sql, ...values);
    const names = cursor.columnNames;
    // `toArray()` of the cursor itself gives the same objects, in more time.
    const rows = Array.from(cursor.raw(), (row) =>
      Object.fromEntries(row.map((value, index) => [names[index], value])),
    );
    this.#rowsWritten += cursor.rowsWritten;
    return rows;
  }

  /**
   * Runs statements as one transaction.
   * @throws Full, NotUnique, Unavailable
   */
  run(statements: readonly Bound<unknown>[], { writes }: Pick<Run, "writes">): unknown[][] {
    const work = () => statements.map(({ sql, values }) => this.rows(sql, ...values));
    return refusing(() => (writes ? this.#write(work) : work()));
  }

  /**
   * Brings the sandbox to the state of a new one, ids included, and runs the statements on it.
   * @returns how many rows it wrote
   * @throws Full, NotUnique, Unavailable
   */
  reset(statements: readonly Bound<unknown>[]): number {
    const before = this.#rowsWritten;
    refusing(() =>
      this.#write(() => {
        for (const { sql } of this.rows(MANY_TAGS)) {
          this.rows(`DROP TABLE "pet_tags"; ${sql as string}`);
        }
        for (const { name } of this.rows(TABLES_TO_EMPTY)) {
          this.rows(`DELETE FROM "${name as string}"`);
        }
        this.rows(BEGIN_SEQUENCES);
        for (const { sql, values } of statements) this.rows(sql, ...values);
      }),
    );
    return this.#rowsWritten - before;
  }

  /** Runs one transaction. It is undone if it leaves the sandbox larger than it may be. */
  #write<Result>(work: () => Result): Result {
    const { sql } = this.#storage;
    return this.#storage.transactionSync(() => {
      const before = sql.databaseSize;
      const result = work();
      const after = sql.databaseSize;
      // Most writes need not look at the log.
      if (after > MAX_BYTES && after > before && this.bytes > MAX_BYTES) throw new Error(FULL[0]);
      return result;
    });
  }

  /** The size of the database, without its log. */
  get bytes(): number {
    const [log] = this.rows(`SELECT total(octet_length("entries")) AS "bytes" FROM "own_log"`);
    return this.#storage.sql.databaseSize - Number(log?.["bytes"]);
  }
}

/** Runs statements, and tells a limit and a constraint from any other fault. */
function refusing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (fault) {
    const { message } = fault as Error;
    // SQLite adds text to the message of a trigger.
    const full = FULL.find((reason) => message.startsWith(reason));
    if (full !== undefined) throw new Full(full, { cause: fault });
    if (saysNotUnique(message)) throw new NotUnique(message, { cause: fault });
    throw new Unavailable("the database of a sandbox failed", { cause: fault });
  }
}
