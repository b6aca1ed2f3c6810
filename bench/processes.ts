// What Linux says of a process: its CPU time and its memory.
import { readFileSync, readdirSync } from "node:fs";

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A thread or process may end meanwhile.
    return "";
  }
}

/** Ids of the workerd processes that this process started. */
export function workerdProcesses(): Set<number> {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const [, comm = "", parent = ""] =
        /^\d+ \((.*)\) \S (\d+)/.exec(read(`/proc/${pid}/stat`)) ?? [];
      return comm.startsWith("workerd") && Number(parent) === process.pid;
    });
  return new Set(children.map(Number));
}

/** CPU time of all threads so far, in nanoseconds. */
export function cpuTime(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0] ?? 0))
    .reduce((sum, time) => sum + time, 0);
}

/** Resident memory, in bytes. */
export function residentMemory(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes) * 1024;
}
