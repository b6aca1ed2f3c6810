// The folders of a server: a temporary one for its process, and the one that `--keep` names.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  rmdirSync,
  statSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { lockFolder } from "./lock.ts";

/** Memory as a folder, on Linux. Each write is an fsync, which takes 0.05 to 4 ms on a disk. */
const MEMORY = "/dev/shm";
const LEAST_FREE_BYTES = 2 ** 30;

/** The beginning of the names of our folders. */
const NAME = "pet-store-service";

/** Process IDs are unique only within a namespace, and containers may share a folder. */
function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    // Only Linux has namespaces.
    return "0";
  }
}

/** Creates a folder that only this user can read, and removes those that dead processes left behind. */
export function createRunFolder(): string {
  const own = `${NAME}-${readNamespace()}-`;
  for (const parent of [MEMORY, tmpdir()]) {
    for (const name of listFolder(parent)) {
      if (!name.startsWith(own) || isRunning(Number(name.slice(own.length).split("-")[0]))) continue;
      try {
        rmSync(join(parent, name), { recursive: true });
      } catch {
        // Another process removes it, or another user owns it.
      }
    }
  }
  return mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), `${own}${process.pid}-`));
}

/** Lists the names in a folder, if it can be read. */
function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < LEAST_FREE_BYTES) return false;
    rmdirSync(mkdtempSync(join(folder, `${NAME}-try-`)));
    return true;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Node's own recursive `mkdir` never returns below `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Prepares the folder of `--keep`.
 * @returns its part for workerd, and a file that workerd must keep open as long as it uses the folder
 * @throws Error if it cannot be used
 */
export async function openKeptFolder(
  folder: string,
): Promise<{ readonly data: string; readonly lock: number | "ignore" }> {
  const data = join(folder, "data");
  let lock: number | "ignore" | undefined;
  try {
    makeFolder(data);
    rmdirSync(mkdtempSync(join(data, "try-")));
    // Windows has no such files.
    lock = process.platform === "win32" ? "ignore" : await lockFolder(folder);
    if (lock !== undefined) removeEmptyDatabases(join(data, "Sandbox"));
  } catch (error) {
    throw new Error(`${folder} cannot keep the data: ${(error as Error).message.trim()}`, { cause: error });
  }
  if (lock === undefined) throw new Error(`${folder} is in use by another process.`);
  return { data, lock };
}

/** The size of a database without tables, which is one page, and where the header of the page's B-tree begins. */
const [PAGE_BYTES, HEADER_OFFSET] = [4096, 100];

/**
 * Deletes the databases of deleted sandboxes, and of those that were looked up but did not exist. workerd creates a database
 * with the first request, and never deletes it.
 */
function removeEmptyDatabases(folder: string): void {
  for (const name of listFolder(folder)) {
    const path = join(folder, name);
    // workerd keeps the alarms in metadata.sqlite.
    if (!name.endsWith(".sqlite") || name === "metadata.sqlite" || !isEmptyDatabase(path)) continue;
    // The database is last, so that a later start removes the rest after a crash.
    for (const each of [`${path}-wal`, `${path}-shm`, path]) rmSync(each, { force: true });
  }
}

/** Checks that a database has no tables, and that no write waits in its log. */
function isEmptyDatabase(path: string): boolean {
  if (statSync(path).size !== PAGE_BYTES || (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    return false;
  // https://sqlite.org/fileformat.html#b_tree_pages: a leaf of a table, and its number of cells.
  const header = readFileSync(path).subarray(HEADER_OFFSET);
  return header[0] === 0x0d && header.readUInt16BE(3) === 0;
}
