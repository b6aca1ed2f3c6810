import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where wrangler records applied migrations: https://developers.cloudflare.com/d1/reference/migrations/ */
const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

const readMigrations = (migrations: string) =>
  readdirSync(migrations)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(migrations, name), "utf8") }));

const hashOf = (migrations: string) =>
  createHash("sha256")
    .update(JSON.stringify(readMigrations(migrations)))
    .digest("hex");

/** Contains the hash of the migrations that a store has. Asking its database takes seconds. */
const markOf = (folder: string) => join(folder, "migrations.sha256");

/** Whether the store in the folder was ever prepared. */
export const isMarked = (folder: string): boolean => existsSync(markOf(folder));

/** Whether the store in the folder has exactly these migrations. */
export const isPrepared = (folder: string, migrations: string): boolean =>
  isMarked(folder) && readFileSync(markOf(folder), "utf8") === hashOf(migrations);

/** Notes that the store in the folder has these migrations. */
export function mark(folder: string, migrations: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(markOf(folder), hashOf(migrations));
}

/**
 * Applies the migrations that a database lacks.
 * @returns how many; `undefined` if it has others
 */
export async function applyMigrations(db: D1Database, migrations: string): Promise<number | undefined> {
  await db.prepare(RECORD).run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const files = readMigrations(migrations);
  const lacking = files.filter(({ name }) => !applied.has(name));
  if (applied.size + lacking.length > files.length) return undefined;
  const statements = lacking.flatMap(({ name, sql }) => [
    ...sql.split("--> statement-breakpoint").map((statement) => db.prepare(statement)),
    db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
  ]);
  if (statements.length > 0) await db.batch(statements);
  return lacking.length;
}
