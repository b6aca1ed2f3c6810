// Whether the migrations were applied to the store of `npm start`, without loading what applies them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** Reads the migrations in order. */
export const readMigrations = (): Migration[] =>
  readdirSync("migrations")
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join("migrations", name), "utf8") }));

const hash = () => createHash("sha256").update(JSON.stringify(readMigrations())).digest("hex");

/** Contains the hash of the migrations that were applied to a store. To ask its database takes seconds. */
const markOf = (folder: string) => join(folder, "migrations.sha256");

/** Whether the store in the folder was ever prepared. */
export const isMarked = (folder: string): boolean => existsSync(markOf(folder));

/** Whether exactly the current migrations were applied to the store in the folder. */
export const isPrepared = (folder: string): boolean =>
  isMarked(folder) && readFileSync(markOf(folder), "utf8") === hash();

/** Notes that the current migrations were applied to the store in the folder. */
export function mark(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(markOf(folder), hash());
}
