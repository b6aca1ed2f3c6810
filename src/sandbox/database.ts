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
 * The tables that a sandbox has besides those of the service: one row about itself, its sessions, the recorded requests
 * (each row has those that were written together, up to the id `last`), and the settings of the record. An object's code
 * and tables change together, when it wakes. A later column may be used at once, but `open` must add it to sandboxes that
 * an older version made.
 */
const OWN_TABLES = `CREATE TABLE IF NOT EXISTS "sandbox" (
  "madeAt" INTEGER NOT NULL,
  "endsAt" INTEGER NOT NULL,
  "migrations" INTEGER NOT NULL,
  "faults" TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS "sandbox_sessions" (
  "key" TEXT PRIMARY KEY,
  "value" TEXT NOT NULL,
  "expiresAt" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS "sandbox_requests" (
  "last" INTEGER PRIMARY KEY,
  "count" INTEGER NOT NULL,
  "entries" TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS "sandbox_settings" (
  "key" TEXT PRIMARY KEY,
  "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;`;

const IMAGES_LIMIT = `CREATE TRIGGER IF NOT EXISTS "sandbox_images" BEFORE INSERT ON "pet_images"
WHEN (SELECT count(*) FROM "pet_images" WHERE "dueAt" IS NOT 0) >= ${MAX_IMAGES}
BEGIN
  SELECT RAISE(ABORT, '${FULL[1]}');
END;`;

/** The names that tables had before 1.2. */
const RENAMED = {
  own_store: "sandbox",
  own_sessions: "sandbox_sessions",
  own_log: "sandbox_requests",
  own_record: "sandbox_settings",
} as const;

/**
 * Tables that are not emptied when a sandbox is: triggers count the inventory and mark the images, the sequences begin
 * again, and the log empties itself. Creating all tables again would need no list, and would take twice as long.
 */
const KEPT = `'sandbox', 'sandbox_requests', 'sandbox_settings', 'inventory', 'pet_images', 'id_sequences'`;
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
export interface SandboxRow {
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
  get row(): SandboxRow | undefined {
    const [table] = this.rows(
      `SELECT "name" FROM "sqlite_schema" WHERE "name" IN ('sandbox', 'own_store')`,
    );
    if (!table) return undefined;
    const [row] = this.rows<SandboxRow>(`SELECT * FROM "${table["name"] as string}"`);
    return row;
  }

  /** Opens the database, with the migrations that it lacks. @returns `undefined` if there is no sandbox */
  open(): SandboxRow | undefined {
    if (!this.row) return undefined;
    return this.#storage.transactionSync(() => {
      this.#renameTables();
      // An earlier version had fewer tables.
      this.rows(OWN_TABLES);
      return this.#migrate();
    });
  }

  /**
   * Makes a sandbox in an empty database, and runs the statements on it.
   * @param madeAt milliseconds since the epoch, as `endsAt`
   * @throws Full, Unavailable
   */
  make(madeAt: number, endsAt: number, statements: readonly Bound<unknown>[]): SandboxRow {
    return refusing(() =>
      this.#write(() => {
        this.rows(OWN_TABLES);
        this.rows(`INSERT INTO "sandbox" VALUES (?, ?, 0, '[]')`, madeAt, endsAt);
        const row = this.#migrate();
        for (const { sql, values } of statements) this.rows(sql, ...values);
        return row;
      }),
    );
  }

  #renameTables(): void {
    const tables = this.rows(`SELECT "name" FROM "sqlite_schema" WHERE "name" GLOB 'own_*'`);
    for (const [before, after] of Object.entries(RENAMED)) {
      if (!tables.some(({ name }) => name === before)) continue;
      this.rows(`ALTER TABLE "${before}" RENAME TO "${after}"`);
    }
    if (tables.length > 0) this.rows(`DROP TRIGGER IF EXISTS "own_store_images"; ${IMAGES_LIMIT}`);
  }

  #migrate(): SandboxRow {
    const row = this.row as SandboxRow;
    // A newer version may have made it.
    if (row.migrations >= MIGRATIONS.length) return row;
    for (const migration of MIGRATIONS.slice(row.migrations)) this.rows(migration);
    this.rows(IMAGES_LIMIT);
    this.rows(`UPDATE "sandbox" SET "migrations" = ?`, MIGRATIONS.length);
    return { ...row, migrations: MIGRATIONS.length };
  }

  /**
   * Runs one statement, or several without values.
   * @typeParam Selected the columns that the statement returns, which the caller knows
   */
  rows<Selected extends object = Row>(sql: string, ...values: unknown[]): Selected[] {
    const cursor = this.#storage.sql.exec(sql, ...values);
    const names = cursor.columnNames;
    // `toArray()` of the cursor itself gives the same objects, in more time.
    const rows = Array.from(cursor.raw(), (row) =>
      Object.fromEntries(row.map((value, index) => [names[index], value])),
    );
    this.#rowsWritten += cursor.rowsWritten;
    // SQL has no types.
    return rows as Selected[];
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
    const [log] = this.rows(
      `SELECT total(octet_length("entries")) AS "bytes" FROM "sandbox_requests"`,
    );
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
