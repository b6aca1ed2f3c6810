import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** How long the first of several processes waits for the others to withdraw, and how often it looks, in milliseconds. */
const [WITHDRAW_MS, LOOK_MS] = [1000, 10];

/**
 * Locks a folder until all processes that have the returned file open have ended, however they end.
 *
 * Each process creates a FIFO and opens it for reading, so whether the process still runs can be seen, across containers,
 * too. The FIFO gets its visible name once it is open, so a visible FIFO without a reader never gets one again. A process has
 * the lock if it then sees no other FIFO with a reader: of two processes, at least the later one sees the other. If several
 * processes see each other, the one whose name is first waits, and the others withdraw.
 * @returns `undefined` if another process has the lock
 */
export async function lockFolder(folder: string): Promise<number | undefined> {
  const name = `lock-${Date.now()}-${randomUUID()}`;
  const [fifo, newFifo] = [join(folder, name), join(folder, `new-lock-${randomUUID()}`)];
  await promisify(execFile)("mkfifo", [newFifo]);
  let file: number;
  try {
    file = openSync(newFifo, constants.O_RDONLY | constants.O_NONBLOCK);
    renameSync(newFifo, fifo);
  } catch (error) {
    // The process that has the lock has removed it.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  for (let waited = 0; waited < WITHDRAW_MS; waited += LOOK_MS) {
    const others = readdirSync(folder).filter((each) => /^(?:new-)?lock/.test(each) && each !== name);
    const living = others.filter((each) => each.startsWith("lock") && hasReader(join(folder, each)));
    if (living.length === 0) {
      for (const each of others) rmSync(join(folder, each), { force: true });
      return file;
    }
    if (living.some((each) => each < name)) break;
    await sleep(LOOK_MS);
  }
  rmSync(fifo, { force: true });
  closeSync(file);
  return undefined;
}

/** Checks whether a process reads from a FIFO. */
function hasReader(fifo: string): boolean {
  try {
    // A restored backup may contain another kind of file.
    if (!lstatSync(fifo).isFIFO()) return false;
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    // It has no reader, or does not exist anymore.
    if (["ENXIO", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}
