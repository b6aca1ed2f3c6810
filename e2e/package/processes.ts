// Finds processes by what is in their environment, which those that they start inherit.
import { readFileSync, readdirSync } from "node:fs";

/** Clock ticks of Linux, in milliseconds. */
const TICK_MS = 10;

/** @param text which nothing else has in its environment */
export function processesWith(text: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).includes(text));
}

/** The processes that a process has started, and not waited for. */
export function childrenOf(pid: number | undefined): readonly number[] {
  return read(`/proc/${pid}/task/${pid}/children`).trim().split(" ").map(Number);
}

/** What a process is called. */
export function nameOf(pid: string): string {
  return read(`/proc/${pid}/comm`).trim();
}

/** CPU time of a process, and of those that it has waited for, in milliseconds. */
export function cpuTimeOf(pid: string): number {
  // The name, in parentheses, may have spaces.
  const fields = read(`/proc/${pid}/stat`).replace(/^.*\)/s, "").split(" ");
  const [user = 0, system = 0, waitedUser = 0, waitedSystem = 0] = fields.slice(12, 16).map(Number);
  return (user + system + waitedUser + waitedSystem) * TICK_MS;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}
