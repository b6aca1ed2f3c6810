// The command as it is installed, in a process that shares no files with others.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nameOf, processesWith } from "../processes.ts";

const POLL_MS = 50;
const END_MS = 10_000;

/** Variables, of which `undefined` are left out. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where the command says that it is. */
export interface Place {
  readonly url: string;
  readonly store: string;
}

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

/** A process whose home and temporary folder are its own. */
export class Isolated {
  readonly child: ChildProcess;
  readonly #folder: string;
  #said = "";
  readonly #ended: Promise<Ended>;

  /** @param folder where the package is installed */
  constructor(folder: string, command: readonly string[], env: Env = {}) {
    this.#folder = mkdtempSync(join(folder, "run-"));
    for (const name of ["home", "tmp"]) mkdirSync(join(this.#folder, name));
    const [file = "", ...args] = command;
    this.child = spawn(file, args, {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        HOME: join(this.#folder, "home"),
        TMPDIR: join(this.#folder, "tmp"),
        // npx leaves a cache where it finds room.
        NODE_DISABLE_COMPILE_CACHE: "1",
        ...env,
      },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => (this.#said += text));
    }
    this.#ended = once(this.child, "close").then(([status, signal]) => ({
      status: status as number | null,
      signal: signal as NodeJS.Signals | null,
      said: this.#said,
    }));
  }

  /** All that it has printed. */
  get said(): string {
    return this.#said;
  }

  /** Waits until it has printed a pattern. @throws Error where it ends first */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    let isOver = false;
    void this.#ended.then(() => (isOver = true));
    for (;;) {
      const found = pattern.exec(this.#said);
      if (found) return found;
      if (isOver) throw new Error(`it ended, and did not say ${pattern}\n${this.#said}`);
      await sleep(POLL_MS);
    }
  }

  /** The line of `--json`. */
  async place(): Promise<Place> {
    const [line] = await this.says(/^\{.*\}$/m);
    return JSON.parse(line) as Place;
  }

  async ended(): Promise<Ended> {
    return this.#ended;
  }

  /** What is left of it once it has ended, a moment later: processes, and files. */
  async remains(): Promise<readonly string[]> {
    const deadline = Date.now() + END_MS;
    for (;;) {
      // Every process has the folder in its environment.
      const processes = processesWith(this.#folder).map((pid) => `process ${pid} ${nameOf(pid)}`);
      const remains = [...processes, ...this.#files()];
      if (remains.length === 0 || Date.now() > deadline) return remains;
      await sleep(POLL_MS);
    }
  }

  #files(): readonly string[] {
    return ["home", "tmp"].flatMap((name) =>
      readdirSync(join(this.#folder, name)).map((file) => join(name, file)),
    );
  }
}
