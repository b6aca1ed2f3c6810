import { readFileSync } from "node:fs";

/** How often to check whether an ancestor has ended, in milliseconds. */
const CHECK_MS = 250;

const SHELL = /^(?:a|ba|da|fi|k|z)?sh$/;

/**
 * Resolves when this process must end: on SIGINT, SIGTERM, or SIGHUP, or if a package manager started it and has ended.
 *
 * npm, pnpm, and others start commands in a shell, which neither forwards signals nor ends with them. So this watches the
 * parent and, above each shell, the next parent.
 */
export async function waitForShutdown(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => resolve());
    // Package managers set it. Without one, a command may outlive the process that started it.
    if (process.env["npm_config_user_agent"] === undefined) return;
    const ancestors = findAncestors();
    // A process whose parent ends gets another parent.
    const isOrphaned = () => ancestors.some(([pid, parent]) => findParent(pid) !== parent);
    setInterval(() => isOrphaned() && resolve(), CHECK_MS).unref();
  });
}

/** Lists this process with its parent, and each shell above it with its own parent. */
function findAncestors(): (readonly [pid: number, parent: number])[] {
  const found = [[process.pid, process.ppid] as const];
  let shell = process.ppid;
  for (let stat = readStat(shell); stat && SHELL.test(stat.command); stat = readStat(shell)) {
    found.push([shell, stat.parent]);
    shell = stat.parent;
  }
  return found;
}

const findParent = (pid: number) => (pid === process.pid ? process.ppid : readStat(pid)?.parent);

/**
 * Reads a process's command and parent (proc_pid_stat(5)).
 * @returns `undefined` if there is no such process, or no `/proc`: macOS does not need it, because its shell is replaced by
 * the command
 */
function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command is in parentheses, and may contain some.
    const [start, end] = [stat.indexOf("("), stat.lastIndexOf(")")];
    const [, , parent] = stat.slice(end).split(" ");
    return { command: stat.slice(start + 1, end), parent: Number(parent) };
  } catch {
    return undefined;
  }
}
