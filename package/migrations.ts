import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Migration } from "./store.ts";

/** Reads the migrations in a folder, in their order. */
export const readMigrations = (folder: string): Migration[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));

const hashOf = (migrations: readonly Migration[]) =>
  createHash("sha256").update(JSON.stringify(migrations)).digest("hex");

/** Contains the hash of the migrations that a store has. Asking its database takes seconds. */
const markOf = (folder: string) => join(folder, "migrations.sha256");

/** Whether the store in the folder was ever prepared. */
export const isMarked = (folder: string): boolean => existsSync(markOf(folder));

/** Whether the store in the folder has exactly these migrations. */
export const isPrepared = (folder: string, migrations: readonly Migration[]): boolean =>
  isMarked(folder) && readFileSync(markOf(folder), "utf8") === hashOf(migrations);

/** Notes that the store in the folder has these migrations. */
export function mark(folder: string, migrations: readonly Migration[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(markOf(folder), hashOf(migrations));
}
