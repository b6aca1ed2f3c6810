// Processes, as Linux describes them in /proc.
import { readFileSync, readdirSync } from "node:fs";

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
}

/** All processes whose environment contains a text. Child processes inherit it. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).includes(text))
    .map(Number);
}

/** The child processes of all threads of a process. */
export function childrenOf(pid: number | undefined): readonly number[] {
  return threadsOf(pid).flatMap((thread) =>
    (read(`${thread}/children`).match(/\d+/g) ?? []).map(Number),
  );
}

/** The name of a process. */
export function nameOf(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

/** CPU time of all threads so far, in nanoseconds. */
export function cpuTime(pid: number): number {
  return threadsOf(pid)
    .map((thread) => Number(read(`${thread}/schedstat`).split(" ")[0] ?? 0))
    .reduce((sum, time) => sum + time, 0);
}

/** Resident memory, in bytes. */
export function residentMemory(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes) * 1024;
}

function threadsOf(pid: number | undefined): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  } catch {
    return [];
  }
}
