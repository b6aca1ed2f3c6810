// The installed command, with a home and a temporary folder of its own.
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Program } from "../process.ts";
import type { Ended, ProgramOptions } from "../process.ts";
import { nameOf, processesWith } from "../processes.ts";

const POLL_MS = 50;
/** Long, because machines may be busy. */
const END_MS = 120_000;

/** The addresses that the command prints. */
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
    // Node's compile cache would be left there.
    const isolated = { HOME: home, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: "1" };
    super(command, { folder, env: { ...isolated, ...env } });
    this.#folder = own;
  }

  /** Waits for the line of `--json`. */
  async place(): Promise<Place> {
    const [line] = await this.says(/^\{.*\}$/m);
    return JSON.parse(line) as Place;
  }

  /** @throws Error if it does not end */
  override async ended(): Promise<Ended> {
    const ended = await Promise.race([super.ended(), sleep(END_MS, undefined, { ref: false })]);
    if (!ended) throw new Error(`it has not ended after ${END_MS} ms\n${this.log}`);
    return ended;
  }

  /** The processes and files that are left after it has ended. Waits a while for none. */
  async remains(): Promise<readonly string[]> {
    const deadline = Date.now() + END_MS;
    for (;;) {
      // The environment of each of its processes names the folder.
      const processes = processesWith(this.#folder).map((pid) => `process ${pid} ${nameOf(pid)}`);
      const files = ["home", "tmp"].flatMap((name) => readdirSync(join(this.#folder, name)));
      const remains = [...processes, ...files];
      if (remains.length === 0 || Date.now() > deadline) return remains;
      await sleep(POLL_MS);
    }
  }
}
