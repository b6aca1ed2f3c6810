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

/** How long to wait for a lock, in milliseconds: the server of a killed process ends a moment later. */
const ENDING_MS = 1000;

/** Locks the folder while it is open. The system releases the lock when this process ends, for whatever reason. */
let lock: DatabaseSync | undefined;

/**
 * Locks the folder of a kept store until this process ends. Other users may not read the folder, because the key that
 * seals its passwords is public.
 * @param name the name of the store if the folder is new
 * @param owner the process that others are told has the folder
 * @returns the name of the store
 * @throws Error that names the process that uses the folder, or says why it is not writable
 */
export function takeFolder(folder: string, name: string, owner: number): string {
  try {
    makeFolder(folder);
    const entries = readdirSync(folder);
    // A folder with other files keeps its mode. The files that the store adds are still for this user alone.
    const isOwn = entries.length === 0 || entries.includes("name");
    // A mounted volume may belong to another user, and be writable for the group.
    if (isOwn && statSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o700);
    const files = isOwn ? readdirSync(folder, { encoding: "utf8", recursive: true }) : [];
    // Files of another user would make workerd fail later.
    for (const file of ["", ...files]) accessSync(join(folder, file), constants.W_OK);
  } catch (fault) {
    const { message } = fault as Error;
    throw new Error(`cannot write to the folder ${folder}: ${message}`, { cause: fault });
  }
  takeLock(folder, owner);
  const file = join(folder, "name");
  const kept = existsSync(file) && readFileSync(file, "utf8");
  if (kept) return kept;
  writeFileSync(file, name);
  return name;
}

/** Makes a folder and its parents. Node's recursive `mkdir` never ends in /proc, where folders cannot be made. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (fault) {
    // Another process may have just made it.
    if (!existsSync(folder)) throw fault;
  }
}

function takeLock(folder: string, owner: number): void {
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  if (!sqlite) throw new Error(`--keep needs Node 22.13 or newer. This is ${process.version}.`);
  lock = new sqlite.DatabaseSync(join(folder, "lock"));
  try {
    // Other processes can read the number, but not write before this transaction ends.
    lock.exec(
      `PRAGMA busy_timeout = ${ENDING_MS}; PRAGMA user_version = ${owner}; BEGIN IMMEDIATE`,
    );
  } catch (fault) {
    if ((fault as { readonly errcode?: number }).errcode !== BUSY) throw fault;
    const holder = lock.prepare("PRAGMA user_version").get() as { readonly user_version: number };
    throw new Error(`process ${holder.user_version} is using the folder ${folder}`, {
      cause: fault,
    });
  }
}
