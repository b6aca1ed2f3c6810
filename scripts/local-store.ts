// The local store: what wrangler keeps in a folder for `wrangler dev`, opened without wrangler, whose commands take
// seconds. It may be open in a running server, too.
import { createCipheriv, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Miniflare } from "miniflare";
import { CLASSIC } from "../src/stores/classic.ts";

const ROOT = join(import.meta.dirname, "..");

export interface LocalStore {
  readonly miniflare: Miniflare;
  readonly db: Database;
}

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** The folder that the arguments of `wrangler dev` name for the store. */
export function storeFolder(args: readonly string[]): string {
  const at = args.findIndex((arg) => /^--persist-to(=|$)/.test(arg));
  const [, value] = args[at]?.split("=") ?? [];
  return at < 0 ? join(ROOT, ".wrangler", "state") : (value ?? args[at + 1] ?? "");
}

/** Opens the store for as long as `use` takes. */
export async function withLocalStore<T>(
  folder: string,
  use: (store: LocalStore) => Promise<T>,
): Promise<T> {
  const { Log, LogLevel, Miniflare, convertV4MiniflareOptions } = await import("miniflare");
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      log: new Log(LogLevel.ERROR),
      cf: false,
      telemetry: { enabled: false },
      // As wrangler names them: by their bindings where they have neither an id nor a name of a bucket.
      resourcePersistencePath: join(folder, "v3"),
      d1Databases: { DB: "DB" },
      kvNamespaces: { SESSIONS: "SESSIONS" },
      r2Buckets: { IMAGES: "pet-store-images" },
    }),
  );
  try {
    return await use({ miniflare, db: await miniflare.getD1Database("DB") });
  } finally {
    await miniflare.dispose();
  }
}

/**
 * Whether `npm start` has nothing to do: the database has every migration and holds something. Reads its file, which
 * takes no time, where opening the store takes most of a second.
 */
export function isReady(folder: string): boolean {
  const databases = join(folder, "v3", "d1", "miniflare-D1DatabaseObject");
  try {
    const [file = "", ...others] = readdirSync(databases).filter((name) =>
      /^[\da-f]+\.sqlite$/.test(name),
    );
    if (others.length > 0) return false;
    const db = new DatabaseSync(join(databases, file), { readOnly: true });
    try {
      const applied = db.prepare("SELECT name FROM d1_migrations").all();
      const isEmpty = db.prepare(IS_EMPTY).get()?.["isEmpty"];
      return lackingOf(applied as { name: string }[]).length === 0 && isEmpty === 0;
    } finally {
      db.close();
    }
  } catch {
    // There is none yet, or it is not as this function knows it: opening the store tells.
    return false;
  }
}

/** Where wrangler notes which migrations a database has. */
const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

const IS_EMPTY = `SELECT NOT EXISTS (SELECT 1 FROM pets) AND NOT EXISTS (SELECT 1 FROM orders)
  AND NOT EXISTS (SELECT 1 FROM users) AS isEmpty`;

const MIGRATIONS = join(ROOT, "migrations");

function lackingOf(applied: readonly { name: string }[]): string[] {
  const names = new Set(applied.map(({ name }) => name));
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql") && !names.has(name))
    .toSorted();
}

/** Applies the migrations that a database lacks, each completely or not at all. @returns their names */
export async function migrate(db: Database): Promise<string[]> {
  await db.prepare(RECORD).run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const lacking = lackingOf(results);
  for (const name of lacking) {
    const statements = readFileSync(join(MIGRATIONS, name), "utf8").split(
      "--> statement-breakpoint",
    );
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
  return lacking;
}

/** Stores the classic data, if there is no pet, no order and no user. @returns whether it did */
export async function fillWhereEmpty(db: Database): Promise<boolean> {
  const isEmpty = await db.prepare(IS_EMPTY).first<number>("isEmpty");
  if (!isEmpty) return false;
  const key = localKey();
  const users = CLASSIC.users.map(({ password, ...user }) => {
    const credentialId = randomUUID();
    return { ...user, credentialId, sealedPassword: seal(key, password, credentialId) };
  });
  const tables = Object.entries({ ...CLASSIC, users });
  await db.batch(tables.flatMap(([table, rows]) => rows.map((row) => insert(db, table, row))));
  return true;
}

function insert(db: Database, table: string, row: object) {
  const columns = Object.keys(row);
  return db
    .prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`)
    .bind(...Object.values(row).map(toColumn));
}

/** Columns have the names of the interface's members, and hold JSON or 0 and 1 where SQLite has no such type. */
function toColumn(value: unknown): unknown {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" ? JSON.stringify(value) : value;
}

/** The `PASSWORD_KEY` that `npm start` serves with. */
function localKey(): string {
  const settings = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  return /^PASSWORD_KEY = "(.*)"/m.exec(settings)?.[1] ?? "";
}

/** Seals a password as src/user/passwords.ts and src/keys.ts do, which only workerd can run. */
export function seal(key: string, password: string, credentialId: string): string {
  const derive = (use: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", Buffer.from(key, "base64"), "", use, bytes));
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", derive("passwords", 32), iv);
  cipher.setAAD(Buffer.from(credentialId));
  const sealed = Buffer.concat([iv, cipher.update(password), cipher.final(), cipher.getAuthTag()]);
  return `${derive("key id", 8).toString("hex")}.${sealed.toString("base64")}`;
}

/** Empties the store: every table is made again by the migrations, and ids begin at 1. */
export async function empty({ miniflare, db }: LocalStore): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'table')
       AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY type DESC`,
    )
    .all<{ type: string; name: string }>();
  // A view goes first, because the table that it reads cannot go without it.
  if (results.length > 0) {
    await db.batch(results.map(({ type, name }) => db.prepare(`DROP ${type} "${name}"`)));
  }
  await migrate(db);

  const sessions = await miniflare.getKVNamespace("SESSIONS");
  for (const { name } of (await sessions.list()).keys) await sessions.delete(name);
  const images = await miniflare.getR2Bucket("IMAGES");
  for (const { key } of (await images.list()).objects) await images.delete(key);
}
