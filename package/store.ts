import { drizzle } from "drizzle-orm/d1";
import { replaceData, type Data } from "../src/sandbox/data.ts";
import { applyMigrations, isMarked, isPrepared, mark } from "./migrations.ts";

interface Preparation {
  /** The folder of the migrations. */
  readonly migrations: string;
  /** What a new store contains. */
  readonly data: Data;
  /** Where the store is kept. Default: in memory. */
  readonly folder?: string | undefined;
}

/**
 * Prepares the database of `npm start` or of the package: applies migrations, and fills a new one.
 * @throws Error if other migrations made it
 */
export async function prepareStore(
  { DB, PASSWORD_KEY }: Pick<Env, "DB" | "PASSWORD_KEY">,
  { migrations, data, folder }: Preparation,
): Promise<void> {
  if (folder !== undefined && isPrepared(folder, migrations)) return;
  const isNew = folder === undefined || !isMarked(folder);
  const applied = await applyMigrations(DB, migrations);
  // Nothing to apply, but another hash: a migration that was applied has been edited.
  if (applied === undefined || (!isNew && applied === 0)) {
    throw new Error(`${folder}: The store is of another version. Delete its folder to start anew.`);
  }
  // A store without a mark may have data, if `wrangler d1 migrations apply` made it.
  if (isNew && !(await DB.prepare("SELECT 1 FROM pets").first())) {
    await replaceData(drizzle(DB), data, [PASSWORD_KEY]);
  }
  if (folder !== undefined) mark(folder, migrations);
}
