import type { DatabaseSync } from "node:sqlite";

/** https://sqlite.org/rescode.html#busy */
const BUSY = 5;

/** The locks of this process. Garbage collection would release them. */
const locks: DatabaseSync[] = [];

/**
 * Locks a file until the lock is closed or this process ends, for whatever reason: the system releases it.
 * @param owner the process that others are told has the lock
 * @param waitMs how long to wait for another process to end
 * @returns the lock, or the owner that has it; `undefined` if this Node has no SQLite
 */
export function takeLock(
  file: string,
  owner: number,
  waitMs: number,
): DatabaseSync | number | undefined {
  const sqlite = sqliteOfNode();
  if (!sqlite) return undefined;
  const lock = new sqlite.DatabaseSync(file);
  try {
    // Other processes can read the number, but not write before this transaction ends.
    lock.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA user_version = ${owner}; BEGIN IMMEDIATE`);
    locks.push(lock);
    return lock;
  } catch (fault) {
    if (!isBusy(fault)) throw fault;
    const holder = lock.prepare("PRAGMA user_version").get() as { readonly user_version: number };
    lock.close();
    return holder.user_version;
  }
}

/**
 * Whether a process has the database open. In WAL mode, any connection prevents an exclusive lock.
 * @param waitMs how long to wait for that process to end
 */
export function isOpen(file: string, waitMs: number): boolean {
  const sqlite = sqliteOfNode();
  if (!sqlite) return false;
  const database = new sqlite.DatabaseSync(file);
  try {
    database.exec(
      `PRAGMA busy_timeout = ${waitMs}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK`,
    );
    return false;
  } catch (fault) {
    if (!isBusy(fault)) throw fault;
    return true;
  } finally {
    database.close();
  }
}

/** `undefined` if this Node has no SQLite. */
const sqliteOfNode = () => process.getBuiltinModule?.("node:sqlite");

const isBusy = (fault: unknown) => (fault as { readonly errcode?: number }).errcode === BUSY;
