import { drizzle } from "drizzle-orm/d1";
import { replaceData, type Data } from "../src/sandbox/data.ts";

/** A file of the migrations. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** How to prepare a store. */
export interface Preparation {
  readonly migrations: readonly Migration[];
  /** What a new store contains. */
  readonly data: Data;
  /** Whether the store was never prepared before. */
  readonly isNew: boolean;
}

/** Where wrangler records applied migrations: https://developers.cloudflare.com/d1/reference/migrations/ */
const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/**
 * Applies the migrations that a database lacks.
 * @returns how many; `undefined` if it has others
 */
async function applyMigrations(db: D1Database, migrations: readonly Migration[]): Promise<number | undefined> {
  await db.prepare(RECORD).run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const lacking = migrations.filter(({ name }) => !applied.has(name));
  if (applied.size + lacking.length > migrations.length) return undefined;
  const statements = lacking.flatMap(({ name, sql }) => [
    ...sql.split("--> statement-breakpoint").map((statement) => db.prepare(statement)),
    db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
  ]);
  if (statements.length > 0) await db.batch(statements);
  return lacking.length;
}

/**
 * Prepares the database of `npm start` or of the package: applies migrations, and fills a new one.
 * @throws Error if other migrations made it
 */
export async function prepareStore(
  { DB, PASSWORD_KEY }: Pick<Env, "DB" | "PASSWORD_KEY">,
  { migrations, data, isNew }: Preparation,
): Promise<void> {
  const applied = await applyMigrations(DB, migrations);
  // Nothing to apply, but another hash: a migration that was applied has been edited.
  if (applied === undefined || (!isNew && applied === 0)) {
    throw new Error("The store is of another version. Delete its folder to start anew.");
  }
  // A store without a mark may have data, if `wrangler d1 migrations apply` made it.
  if (isNew && !(await DB.prepare("SELECT 1 FROM pets").first())) {
    await replaceData(drizzle(DB), data, [PASSWORD_KEY]);
  }
}
