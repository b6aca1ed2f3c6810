import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
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
 * @throws Error that names the process which has the folder, or says why it cannot be written
 */
export function takeFolder(folder: string, name: string, owner: number): string {
  try {
    makeFolder(folder);
    const entries = readdirSync(folder);
    // Other folders are not only for the store. Whatever it puts into them is for this user alone, too.
    const isOwn = entries.length === 0 || entries.includes("name");
    // The folder of a volume may be another user's, who lets this one's group write. Its files are for this user alone.
    if (isOwn && statSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o700);
    const files = isOwn ? readdirSync(folder, { encoding: "utf8", recursive: true }) : [];
    // Another user may have made some. workerd would say so only when it needs them.
    for (const file of ["", ...files]) accessSync(join(folder, file), constants.W_OK);
  } catch (fault) {
    const { message } = fault as Error;
    throw new Error(`the folder ${folder} cannot be written: ${message}`, { cause: fault });
  }
  takeLock(folder, owner);
  const file = join(folder, "name");
  const kept = existsSync(file) && readFileSync(file, "utf8");
  if (kept) return kept;
  writeFileSync(file, name);
  return name;
}

/** Node's own recursion never ends in /proc, which has parents but takes no folders. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (fault) {
    // Another process may have made it.
    if (!existsSync(folder)) throw fault;
  }
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
