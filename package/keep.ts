import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** https://sqlite.org/rescode.html#busy */
const BUSY = 5;

/** How long to wait for a process that was killed: it still ends its server. In milliseconds. */
const ENDING_MS = 1000;

/** Open while this process has the folder: the system gives up the lock when the process ends, for whatever reason. */
let lock: DatabaseSync | undefined;

/**
 * Takes the folder of a kept store for this process, until it ends. Nobody else may read the folder, because its
 * passwords are sealed with a public key.
 * @param name of the store, if the folder is new
 * @param owner the process to name to others
 * @returns the name of the store
 * @throws Error that names the process which has the folder
 */
export function takeFolder(folder: string, name: string, owner: number): string {
  mkdirSync(folder, { recursive: true });
  const entries = readdirSync(folder);
  // Other folders are not only for the store. Whatever it puts into them is for this user alone, too.
  if (entries.length === 0 || entries.includes("name")) chmodSync(folder, 0o700);
  takeLock(folder, owner);
  const file = join(folder, "name");
  const kept = existsSync(file) && readFileSync(file, "utf8");
  if (kept) return kept;
  writeFileSync(file, name);
  return name;
}

function takeLock(folder: string, owner: number): void {
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  if (!sqlite) throw new Error(`--keep needs Node 22.13 or newer. This is ${process.version}.`);
  lock = new sqlite.DatabaseSync(join(folder, "lock"));
  try {
    // Others can read the number, but write nothing before this transaction ends.
    lock.exec(
      `PRAGMA busy_timeout = ${ENDING_MS}; PRAGMA user_version = ${owner}; BEGIN IMMEDIATE`,
    );
  } catch (fault) {
    if ((fault as { readonly errcode?: number }).errcode !== BUSY) throw fault;
    const holder = lock.prepare("PRAGMA user_version").get() as { readonly user_version: number };
    throw new Error(`process ${holder.user_version} has the folder ${folder}`, { cause: fault });
  }
}
