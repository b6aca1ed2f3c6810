import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { takeLock } from "./lock.ts";

/** How the names of the servers' temporary folders begin. */
export const PREFIX = "pet-store-service-";

/** The lock of a temporary folder. Not its process id, because containers can share the folder but not the ids. */
const LOCK = "lock";

/** Tells other servers that the temporary folder is in use. */
export function lockTemporary(folder: string): void {
  takeLock(join(folder, LOCK), process.pid, 0);
}

/** Removes the temporary folders of servers that were killed together with their parents. */
export function removeAbandoned(own: string): void {
  const parent = dirname(own);
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX) || name === basename(own)) continue;
    const folder = join(parent, name);
    try {
      // A server locks the folder before it unpacks the Worker.
      if (!existsSync(join(folder, "worker"))) continue;
      // Another user could have put a link there.
      if (lstatSync(folder).uid !== (process.getuid?.() ?? 0)) continue;
      const abandoned = takeLock(join(folder, LOCK), process.pid, 0);
      if (typeof abandoned !== "object") continue;
      abandoned.close();
      removeFolder(folder);
    } catch {
      // Its owner has just removed it.
    }
  }
}

/** Removes a folder, even while a process that is about to end still writes to it. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
