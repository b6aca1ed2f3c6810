import { NotUnique, messageOf, saysNotUnique } from "../db/engine.ts";
import type { Run } from "../db/engine.ts";
import { MIGRATIONS } from "../db/migrations.ts";
import type { Bound } from "../db/statement.ts";
import { Full, Unavailable } from "../platform/failures.ts";

/** Largest database of a sandbox, in bytes, without its log. */
const MAX_BYTES = 10_000_000;

/** The largest number of images of a sandbox, and of their bytes. */
const MAX_IMAGES = 100;
const MAX_IMAGES_BYTES = 50_000_000;

/** The messages of 507, for a write that would make the sandbox larger than it may be. */
export const FULL = [
  `the store is full: it has at most ${MAX_BYTES / 1e6} MB`,
  `the store is full: it has at most ${MAX_IMAGES} images`,
  `the store is full: its images have at most ${MAX_IMAGES_BYTES / 1e6} MB`,
] as const;

/**
 * The tables that a sandbox has besides those of the service: one row about itself, the migrations that it has, its
 * sessions, the recorded requests (a row holds the requests that were written together, up to the id `last`), and the
 * settings of the record. A version that changes one of them must change it in `open` too, for the sandboxes that exist.
 */
const OWN_TABLES = `CREATE TABLE "sandbox" (
  "madeAt" INTEGER NOT NULL,
  "endsAt" INTEGER NOT NULL,
  "faults" TEXT NOT NULL
) STRICT;
CREATE TABLE "sandbox_migrations" (
  "name" TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE "sandbox_sessions" (
  "key" TEXT PRIMARY KEY,
  "value" TEXT NOT NULL,
  "expiresAt" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "sandbox_requests" (
  "last" INTEGER PRIMARY KEY,
  "count" INTEGER NOT NULL,
  "entries" TEXT NOT NULL
) STRICT;
CREATE TABLE "sandbox_settings" (
  "key" TEXT PRIMARY KEY,
  "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;`;

const IMAGES_LIMIT = `CREATE TRIGGER "sandbox_images" BEFORE INSERT ON "pet_images"
BEGIN
  SELECT RAISE(ABORT, '${FULL[1]}')
  WHERE (SELECT count(*) FROM "pet_images" WHERE "dueAt" IS NOT 0) >= ${MAX_IMAGES};
  SELECT RAISE(ABORT, '${FULL[2]}')
  WHERE (SELECT total("bytes") FROM "pet_images" WHERE "dueAt" IS NOT 0) + NEW."bytes" > ${MAX_IMAGES_BYTES};
END;`;

/** All tables, except those of the platform (`_cf_…`) and of `wrangler dev` (`__miniflare_…`). */
const TABLES = `SELECT "name" FROM "sqlite_schema"
WHERE "type" = 'table' AND "name" NOT GLOB '_*' AND "name" NOT GLOB 'sqlite_*'`;

/**
 * A reset does not empty these tables: triggers update the inventory and mark the images, `reset` itself restarts the
 * sequences, and the log is emptied separately. Dropping and creating all tables would need no list, but takes twice as
 * long.
 */
const KEPT = `'sandbox', 'sandbox_migrations', 'sandbox_requests', 'sandbox_settings', 'inventory', 'pet_images', 'id_sequences'`;

/**
 * Returns the SQL of `pet_tags` if it has many rows. Then a reset drops and creates the table: two rows written, instead of
 * one for each tag. With few tags that is slower, because SQLite compiles all statements again.
 */
const MANY_TAGS = `SELECT group_concat("sql", ';') AS "sql" FROM "sqlite_schema"
WHERE "tbl_name" = 'pet_tags' HAVING (SELECT count(*) FROM "pet_tags") > 1000`;
const BEGIN_SEQUENCES = `UPDATE "id_sequences" SET "next" = iif("resource" = 'orders', 11, 1)`;

/** A row by the names of its columns. */
export type Row = Record<string, SqlStorageValue>;

/** What a sandbox knows about itself. */
export type SandboxRow = {
  /** Milliseconds since the epoch, as `endsAt`. */
  readonly madeAt: number;
  readonly endsAt: number;
  /** JSON: `FaultState[]`. */
  readonly faults: string;
};

/**
 * The database of a sandbox's object. The migrator of `drizzle-orm/durable-sqlite` would not do: it runs in a transaction of
 * its own, but a sandbox is made with its data or not at all.
 */
export class SandboxDatabase {
  readonly #storage: DurableObjectStorage;
  /** The number of rows written, as Cloudflare bills them. */
  #rowsWritten = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Whether there is a sandbox, even if it cannot be opened. */
  get exists(): boolean {
    return this.#tables.length > 0;
  }

  /** When the sandbox ends, in milliseconds since the epoch; `undefined` if this version cannot tell. */
  get endsAt(): number | undefined {
    return this.#tables.includes("sandbox") ? this.#row?.endsAt : undefined;
  }

  /** Whether R2 may still get an image of the sandbox, as far as this version can tell. */
  get isUploading(): boolean {
    if (!this.#tables.includes("pet_images")) return true;
    return this.rows(`SELECT 1 FROM "pet_images" WHERE "dueAt" > 0 LIMIT 1`).length > 0;
  }

  get #tables(): readonly unknown[] {
    return this.rows(TABLES).map(({ name }) => name);
  }

  get #row(): SandboxRow | undefined {
    const [row] = this.rows<SandboxRow>(`SELECT * FROM "sandbox"`);
    return row;
  }

  /**
   * Opens the database, with the migrations that it lacks. It may have more, from a newer version.
   * @returns `undefined` if there is no sandbox
   * @throws Unavailable if an unknown version made the sandbox, or if a migration fails
   */
  open(): SandboxRow | undefined {
    const tables = this.#tables;
    if (tables.length === 0) return undefined;
    const applied = tables.includes("sandbox_migrations")
      ? this.rows(`SELECT "name" FROM "sandbox_migrations" ORDER BY "name"`)
      : [];
    const isKnown =
      applied.length > 0 &&
      applied.every(({ name }, at) => name === (MIGRATIONS[at]?.name ?? name));
    if (!isKnown) throw new Unavailable("an unknown version of the service made the sandbox");
    try {
      this.#storage.transactionSync(() => this.#migrate(MIGRATIONS.slice(applied.length)));
    } catch (cause) {
      throw new Unavailable("a sandbox could not be migrated", { cause });
    }
    return this.#row;
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
        this.rows(`INSERT INTO "sandbox" VALUES (?, ?, '[]')`, madeAt, endsAt);
        this.#migrate(MIGRATIONS);
        this.rows(IMAGES_LIMIT);
        for (const { sql, values } of statements) this.rows(sql, ...values);
        return { madeAt, endsAt, faults: "[]" };
      }),
    );
  }

  #migrate(missing: typeof MIGRATIONS): void {
    for (const { name, sql } of missing) {
      this.rows(sql);
      this.rows(`INSERT INTO "sandbox_migrations" VALUES (?)`, name);
    }
  }

  /**
   * Runs one statement, or several without values.
   * @typeParam Selected the columns that the statement returns, which the caller knows
   */
  rows<Selected extends Row = Row>(sql: string, ...values: unknown[]): Selected[] {
    const cursor = this.#storage.sql.exec<Selected>(sql, ...values);
    const rows = cursor.toArray();
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
        for (const { sql } of this.rows<{ sql: string }>(MANY_TAGS)) {
          this.rows(`DROP TABLE "pet_tags"; ${sql}`);
        }
        for (const { name } of this.rows<{ name: string }>(
          `${TABLES} AND "name" NOT IN (${KEPT})`,
        )) {
          this.rows(`DELETE FROM "${name}"`);
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
      // `bytes` reads the log, which most writes need not do.
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
    const message = messageOf(fault);
    // SQLite adds text to the message of a trigger.
    const full = FULL.find((reason) => message.startsWith(reason));
    if (full !== undefined) throw new Full(full, { cause: fault });
    if (saysNotUnique(message)) throw new NotUnique(message, { cause: fault });
    throw new Unavailable("the database of a sandbox failed", { cause: fault });
  }
}
