import { rmSync } from "node:fs";

/** Removes a folder, even while a process that is about to end still writes to it. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
