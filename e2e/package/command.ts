// The command as it is installed, in a process that shares no files with others.
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Program } from "../process.ts";
import type { ProgramOptions } from "../process.ts";
import { nameOf, processesWith } from "../processes.ts";

const POLL_MS = 50;
const END_MS = 10_000;

/** Where the command says that it is. */
export interface Place {
  readonly url: string;
  readonly store: string;
}

/** A process whose home and temporary folder are its own. */
export class Isolated extends Program {
  readonly #folder: string;

  /** @param folder where the package is installed */
  constructor(folder: string, command: readonly string[], env: ProgramOptions["env"] = {}) {
    const own = mkdtempSync(join(folder, "run-"));
    const [home, temporary] = [join(own, "home"), join(own, "tmp")];
    mkdirSync(home);
    mkdirSync(temporary);
    // npx leaves a cache where it finds room.
    const isolated = { HOME: home, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: "1" };
    super(command, { folder, env: { ...isolated, ...env } });
    this.#folder = own;
  }

  /** The line of `--json`. */
  async place(): Promise<Place> {
    const [line] = await this.says(/^\{.*\}$/m);
    return JSON.parse(line) as Place;
  }

  /** What is left of it once it has ended, a moment later: processes, and files. */
  async remains(): Promise<readonly string[]> {
    const deadline = Date.now() + END_MS;
    for (;;) {
      // Every process has the folder in its environment.
      const processes = processesWith(this.#folder).map((pid) => `process ${pid} ${nameOf(pid)}`);
      const files = ["home", "tmp"].flatMap((name) => readdirSync(join(this.#folder, name)));
      const remains = [...processes, ...files];
      if (remains.length === 0 || Date.now() > deadline) return remains;
      await sleep(POLL_MS);
    }
  }
}
