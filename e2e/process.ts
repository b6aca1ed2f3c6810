// A program that a test starts, with its child processes.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../scripts/programs.ts";

const POLL_MS = 10;
const STOP_MS = 5000;
const LOG_CHARACTERS = 100_000;

export interface ProgramOptions {
  /** Its working directory; default: the project. */
  readonly folder?: string;
  /** Variables besides those of this process; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** How a program ended. */
export interface Ended {
  readonly status: number | null;
  readonly log: string;
}

/** A program in a process group of its own, so that a signal can reach what it started. */
export class Program {
  readonly child: ChildProcess;
  #log = "";
  #isOver = false;

  /** @param command the program with its arguments */
  constructor(command: readonly string[], { folder = ROOT, env }: ProgramOptions = {}) {
    const [file = "", ...args] = command;
    this.child = spawn(file, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream
        ?.setEncoding("utf8")
        .on("data", (text: string) => (this.#log = (this.#log + text).slice(-LOG_CHARACTERS)));
    }
    this.child.once("close", () => (this.#isOver = true));
  }

  /** The end of its output. */
  get log(): string {
    return this.#log;
  }

  /** Waits until its output matches. @throws Error if it ends first */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#log);
      if (found) return found;
      if (this.#isOver)
        throw new Error(`it ended, but its output does not match ${pattern}\n${this.#log}`);
      await sleep(POLL_MS);
    }
  }

  /** Waits until it ends and its output is complete. */
  async ended(): Promise<Ended> {
    if (!this.#isOver) await once(this.child, "close");
    return { status: this.child.exitCode, log: this.#log };
  }

  /** Polls until the answer is a success. @throws Error if it ends first, or takes longer than `limitMs` */
  async serves(url: string, limitMs: number): Promise<void> {
    const deadline = Date.now() + limitMs;
    while (Date.now() < deadline) {
      if (this.#isOver) throw new Error(`it ended\n${this.#log}`);
      const signal = AbortSignal.timeout(2000);
      const answer = await fetch(url, { signal }).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok) return;
      await sleep(POLL_MS);
    }
    throw new Error(`it does not answer\n${this.#log}`);
  }

  /** Signals the whole group. @returns whether any process was left */
  signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.child;
    try {
      return pid !== undefined && process.kill(-pid, signal);
    } catch {
      return false;
    }
  }

  /** Sends SIGTERM to the whole group, and SIGKILL to what is left after a while. */
  async stop(): Promise<void> {
    this.signal("SIGTERM");
    const deadline = Date.now() + STOP_MS;
    while (this.signal(0) && Date.now() < deadline) await sleep(POLL_MS);
    this.signal("SIGKILL");
  }

  /** Kills the whole group at once. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended();
  }
}
