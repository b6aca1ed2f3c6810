import { drizzle } from "drizzle-orm/d1";
import { replaceData, type Data } from "../src/sandbox/data.ts";
import { readMigrations } from "./migrations.ts";

/** Where wrangler lists applied migrations: https://developers.cloudflare.com/d1/reference/migrations/ */
const APPLIED = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/**
 * Applies the migrations that a database lacks, and fills a new store.
 * @param isNew whether the store was never prepared before
 * @throws Error if the store was created by other migrations
 */
export async function prepareStore(
  { DB, PASSWORD_KEY }: Pick<Env, "DB" | "PASSWORD_KEY">,
  { data, isNew }: { readonly data: Data; readonly isNew: boolean },
): Promise<void> {
  await DB.prepare(APPLIED).run();
  const { results } = await DB.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const migrations = readMigrations();
  const missing = migrations.filter(({ name }) => !applied.has(name));
  // If nothing is missing but the hash differs, an applied migration has been edited.
  if (applied.size + missing.length > migrations.length || (!isNew && missing.length === 0)) {
    throw new Error("The store is of another version. Delete its folder to start anew.");
  }
  const statements = missing.flatMap(({ name, sql }) => [
    ...sql.split("--> statement-breakpoint").map((statement) => DB.prepare(statement)),
    DB.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
  ]);
  if (statements.length > 0) await DB.batch(statements);
  // A store without a mark may have data, if `wrangler d1 migrations apply` created it.
  if (isNew && !(await DB.prepare("SELECT 1 FROM pets").first())) {
    await replaceData(drizzle(DB), data, [PASSWORD_KEY]);
  }
}
