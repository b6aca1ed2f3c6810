import { rmSync } from "node:fs";

/** Removes a folder, also while a process that was told to end still writes to it. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
