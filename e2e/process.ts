// A server in its own process group, so that a signal also reaches the processes that it started.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../scripts/programs.ts";

const STOP_MS = 5000;
const LOG_CHARACTERS = 8000;

export interface ServerOptions {
  /** Where it runs; default: the package. */
  readonly folder?: string;
  /** What is kept of its output: all of it, or only the faults of one that logs every request. */
  readonly logs?: "all" | "faults";
}

/** A server that may have children, such as workerd. */
export class ServerProcess {
  readonly child: ChildProcess;
  #log = "";

  /** @param command a script of Node with its arguments, which can send messages to this process */
  constructor(command: readonly string[], { folder = ROOT, logs = "all" }: ServerOptions = {}) {
    this.child = spawn(process.execPath, command, {
      cwd: folder,
      env: {
        ...process.env,
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        PATH: `${join(ROOT, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`,
      },
      stdio: ["ignore", logs === "all" ? "pipe" : "ignore", "pipe", "ipc"],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream
        ?.setEncoding("utf8")
        .on("data", (text: string) => (this.#log = (this.#log + text).slice(-LOG_CHARACTERS)));
    }
  }

  /** The end of what it wrote. */
  get log(): string {
    return this.#log;
  }

  get #ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /**
   * Asks until it answers 200.
   * @param pollMs how long to wait after each attempt
   * @throws Error where it ends first, or takes longer than `limitMs`
   */
  async serves(origin: string, pollMs: number, limitMs: number): Promise<void> {
    const deadline = Date.now() + limitMs;
    while (Date.now() < deadline) {
      if (this.#ended) throw new Error("the server ended");
      const answer = await fetch(`${origin}/v2/store/inventory`, {
        signal: AbortSignal.timeout(2000),
      }).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok) return;
      await sleep(pollMs);
    }
    throw new Error("the server does not answer");
  }

  /** Signals every process of it. @returns whether any was left */
  signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.child;
    try {
      return pid !== undefined && process.kill(-pid, signal);
    } catch {
      return false;
    }
  }

  /** Lets every process of it end, and kills what does not. */
  async stop(): Promise<void> {
    this.signal("SIGTERM");
    const deadline = Date.now() + STOP_MS;
    while (this.signal(0) && Date.now() < deadline) await sleep(50);
    this.signal("SIGKILL");
  }

  /** SIGKILL to every process of it, at once. */
  async kill(): Promise<void> {
    if (this.child.pid === undefined || this.#ended) return;
    const exited = once(this.child, "exit");
    this.signal("SIGKILL");
    await exited;
  }
}
