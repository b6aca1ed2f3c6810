// The folder in which `wrangler dev` keeps its stores. The database is an SQLite file, which this code opens itself
// because wrangler's commands take seconds. A running server may have the file open at the same time.
import {
  createCipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
} from "node:crypto";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CLASSIC } from "../src/sandbox/classic.ts";
import { ROOT } from "./programs.ts";

const MIGRATIONS = join(ROOT, "migrations");

/** How long to wait for the lock of a running server. */
const BUSY_MS = 5000;

/** The folder of the store, from the arguments of `wrangler dev`. */
export const storeFolder = (args: readonly string[]): string =>
  valueOf(args, "--persist-to") ?? join(ROOT, ".wrangler", "state");

/** The value of an option in the arguments of `wrangler dev`, if it is there. */
export function valueOf(args: readonly string[], option: string): string | undefined {
  const at = args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  const [, value] = args[at]?.split("=") ?? [];
  return at < 0 ? undefined : (value ?? args[at + 1] ?? "");
}

/** Opens the database for `use`, in one transaction. */
export function withDatabase<T>(folder: string, use: (db: DatabaseSync) => T): T {
  const databases = join(folder, "v3", "d1", D1_OBJECT);
  mkdirSync(databases, { recursive: true });
  const db = new DatabaseSync(join(databases, fileOf("DB")), { timeout: BUSY_MS });
  try {
    db.exec("BEGIN IMMEDIATE");
    const result = use(db);
    db.exec("COMMIT");
    return result;
  } finally {
    // Rolls back unless there was a COMMIT.
    db.close();
  }
}

const D1_OBJECT = "miniflare-D1DatabaseObject";

/** The file that Miniflare gives a D1 database. A database without an id is named after its binding. */
function fileOf(name: string): string {
  const key = createHash("sha256").update(D1_OBJECT).digest();
  const mark = (data: string | Buffer) =>
    createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const id = mark(name);
  return `${Buffer.concat([id, mark(id)]).toString("hex")}.sqlite`;
}

/** The table in which wrangler records applied migrations. */
const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** Applies the missing migrations. @returns their names */
export function migrate(db: DatabaseSync): string[] {
  db.exec(RECORD);
  const applied = new Set(
    db
      .prepare("SELECT name FROM d1_migrations")
      .all()
      .map(({ name }) => name),
  );
  const lacking = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql") && !applied.has(name))
    .toSorted();
  for (const name of lacking) {
    db.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
    db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
  }
  return lacking;
}

/** Inserts the classic data, unless there are pets, orders or users. @returns whether it did */
export function fillWhereEmpty(db: DatabaseSync): boolean {
  const resources = Object.keys(CLASSIC);
  const isEmpty = resources.every((table) => !db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get());
  if (!isEmpty) return false;
  const key = localKey();
  const users = CLASSIC.users.map(({ password, ...user }) => {
    const credentialId = randomUUID();
    return { ...user, credentialId, sealedPassword: seal(key, password, credentialId) };
  });
  for (const [table, rows] of Object.entries({ ...CLASSIC, users })) {
    for (const row of rows) insert(db, table, row);
  }
  return true;
}

function insert(db: DatabaseSync, table: string, row: object): void {
  const columns = Object.keys(row);
  db.prepare(
    `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`,
  ).run(...Object.values(row).map(toColumn));
}

/** A column has the name of its member. Booleans are stored as 0 and 1, arrays and objects as JSON. */
function toColumn(value: unknown): string | number {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
}

/** The `PASSWORD_KEY` that `npm start` serves with. */
function localKey(): string {
  const settings = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  return /^PASSWORD_KEY = "(.*)"/m.exec(settings)?.[1] ?? "";
}

/** Seals a password as src/user/passwords.ts and src/platform/keys.ts do, which only workerd can run. */
export function seal(key: string, password: string, credentialId: string): string {
  const derive = (use: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", Buffer.from(key, "base64"), "", use, bytes));
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", derive("passwords", 32), iv);
  cipher.setAAD(Buffer.from(credentialId));
  const sealed = Buffer.concat([iv, cipher.update(password), cipher.final(), cipher.getAuthTag()]);
  return `${derive("key id", 8).toString("hex")}.${sealed.toString("base64")}`;
}

/** Recreates every table by the migrations. Ids start at 1 again. */
export function emptyDatabase(db: DatabaseSync): void {
  // Views first, because they read the tables.
  const made = db
    .prepare(
      `SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'table')
       AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY type DESC`,
    )
    .all() as { type: string; name: string }[];
  for (const { type, name } of made) db.exec(`DROP ${type} "${name}"`);
  migrate(db);
}
