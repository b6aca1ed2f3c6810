// The folders of a server: a temporary one for its process, and the one that `--keep` names.
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  rmdirSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Memory as a folder, on Linux. Each write is an fsync, which takes 0.05 to 4 ms on a disk. */
const MEMORY = "/dev/shm";
const LEAST_FREE_BYTES = 2 ** 30;

/** The beginning of the names of our folders. */
const NAME = "pet-store-service";

/** Process IDs are unique only within a namespace, and containers may share a folder. */
function namespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    // Only Linux has namespaces.
    return "0";
  }
}

/** Creates a folder that only this user can read, and removes those that dead processes left behind. */
export function createRunFolder(): string {
  const own = `${NAME}-${namespace()}-`;
  for (const parent of [MEMORY, tmpdir()]) {
    for (const name of existsSync(parent) ? readdirSync(parent) : []) {
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
  mkdirSync(folder);
}

/** What the package that ran on Miniflare wrote into its folder. */
const MINIFLARE = "migrations.sha256";

/**
 * Prepares the folder of `--keep`.
 * @returns its part for workerd, and a file that workerd must keep open as long as it uses the folder
 * @throws Error if it cannot be used
 */
export function openKeptFolder(folder: string): { readonly data: string; readonly lock: number | "ignore" } {
  if (existsSync(join(folder, MINIFLARE))) {
    throw new Error(`${folder} has data of an earlier version, which ran on Miniflare. Choose another folder.`);
  }
  const data = join(folder, "data");
  try {
    makeFolder(data);
    rmdirSync(mkdtempSync(join(data, "try-")));
    const lock = join(folder, "lock");
    // Windows has no such files.
    if (process.platform === "win32") return { data, lock: "ignore" };
    if (!existsSync(lock)) execFileSync("mkfifo", ["-m", "600", lock], { stdio: "pipe" });
    if (!isOpen(lock)) return { data, lock: openSync(lock, constants.O_RDONLY | constants.O_NONBLOCK) };
  } catch (error) {
    throw new Error(`${folder} cannot keep the data: ${(error as Error).message.trim()}`, { cause: error });
  }
  throw new Error(`${folder} is in use by another process.`);
}

/** Whether a process reads from a FIFO. This ends with the process, however it ends, and also counts across containers. */
function isOpen(fifo: string): boolean {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") return false;
    throw error;
  }
}
