// `node e2e/crash/run.ts [--rounds 12] [--soak 30] [--within 1000] [--seed N] [--own]`: first, readers and writers run
// together. Then, in each round, SIGKILL ends the writes at a random moment, and everything that was acknowledged is read
// back: docs/reliability.md. Ends with exit status 1 if anything is wrong.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { audit } from "./audit.ts";
import type { Findings } from "./audit.ts";
import { Ledger } from "./ledger.ts";
import { Load } from "./load.ts";
import { below, randomOf } from "./random.ts";
import { serve } from "./served.ts";
import type { Served } from "./served.ts";
import { Readers } from "./soak.ts";
import { prepareStore } from "../../scripts/local-store.ts";
import { withServer } from "../server.ts";
import { bundle } from "../wrangler.ts";

const CLIENTS = 16;
const SOAK_CLIENTS = 8;
const SHORTEST_ROUND_MS = 100;
const LONGEST_ROUND_MS = 2500;
const MOST_SHOWN = 20;
/** CI always uses this seed, so that what it finds can be found again. */
const CI_SEED = "20261121";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "12" },
    soak: { type: "string", default: "30" },
    /** The CPU time that a start may take until the first 200, in milliseconds. */
    within: { type: "string", default: "1000" },
    /** Use a sandbox rather than the shared store. */
    own: { type: "boolean", default: false },
    seed: {
      type: "string",
      default: process.env["CI"] ? CI_SEED : String(Math.floor(Math.random() * 2 ** 32)),
    },
  },
});

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${text} is not a whole number`);
  return Number(text);
}

const rounds = wholeNumber(values.rounds);
const soakSeconds = wholeNumber(values.soak);
const mostStartMs = wholeNumber(values.within);
const seed = wholeNumber(values.seed);
const base = values.own ? "/stores/of-the-crash-test/v2" : "/v2";

/** The number of writes that were in flight when the service was killed. */
let cutOff = 0;
const wrong: string[] = [];

const random = randomOf(seed);
const ledger = new Ledger();
const load = new Load(ledger, random);
const folder = mkdtempSync(join(tmpdir(), "pet-store-crash-"));
let served: Served | undefined;

async function end(status: number): Promise<never> {
  await served?.kill();
  rmSync(folder, { recursive: true, force: true });
  process.exit(status);
}
process.once("SIGINT", () => void end(130)).once("SIGTERM", () => void end(143));

const counted = (count: number) => count.toLocaleString("en");

function judged({ read, ...findings }: Findings): string {
  for (const [kind, found] of Object.entries(findings)) {
    wrong.push(...found.map((finding) => `${kind}: ${finding}`));
  }
  wrong.push(...load.errors.splice(0).map((error) => `wrong answer: ${error}`));
  return `${counted(read)} read back, ${wrong.length} faults so far`;
}

async function soak({ url }: Served): Promise<void> {
  const readers = new Readers(url, ledger, random);
  await load.run(url, SOAK_CLIENTS, async () => readers.run(SOAK_CLIENTS, soakSeconds * 1000));
  const errors = [...readers.errors, ...load.errors.splice(0)];
  wrong.push(...errors.map((error) => `soak: ${error}`));
  console.log(
    `soak ${soakSeconds} s, ${SOAK_CLIENTS} readers and ${SOAK_CLIENTS} writers: ${counted(readers.answers)} reads, ${counted(ledger.acknowledged)} writes, ${errors.length} errors; ${judged(await audit(url, ledger, true))}`,
  );
  load.resume();
}

/** Writes until the service is killed, restarts it, and reads everything back. */
async function round(number: number, victim: Served, script: string): Promise<Served> {
  const before = ledger.acknowledged;
  const lifeMs = SHORTEST_ROUND_MS + below(random, LONGEST_ROUND_MS - SHORTEST_ROUND_MS);
  await load.run(victim.url, CLIENTS, async () => {
    await sleep(lifeMs);
    load.expectNothing();
    cutOff += load.inFlight;
    await victim.kill();
  });
  const writes = ledger.acknowledged - before;
  const next = await serve(script, folder, base);
  served = next;
  if (next.startMs >= mostStartMs)
    wrong.push(`the start after round ${number} took ${next.startMs} ms of CPU`);
  const findings = await audit(next.url, ledger, number === rounds);
  const repeated = await load.repeatUnanswered(next.url);
  load.resume();
  console.log(
    `round ${String(number).padStart(2)}: killed after ${lifeMs} ms, ${counted(writes)} writes acknowledged; ${next.startMs} ms of CPU until it serves; ${judged(findings)}; ${repeated} creates repeated by key`,
  );
  return next;
}

/** Reads the same store with `npm start`. */
async function readByStart(): Promise<void> {
  await withServer(
    async (origin) => {
      const findings = await audit(origin + base, ledger, true);
      console.log(`npm start on the same store: ${judged(findings)}`);
    },
    { folder },
  );
}

try {
  console.log(`seed ${seed}, ${base}`);
  bundle(join(folder, "worker"), "--env", "local");
  const script = join(folder, "worker", "index.js");
  await prepareStore(folder, { empty: true });
  served = await serve(script, folder, base);
  await load.begin(served.url);
  if (soakSeconds > 0) await soak(served);
  for (let number = 1; number <= rounds; number++) served = await round(number, served, script);
  await served.kill();
  await readByStart();
  console.log(
    `${rounds} rounds, ${counted(ledger.acknowledged)} writes acknowledged, ${cutOff} in flight when killed; seed ${seed}`,
  );
} catch (error) {
  wrong.push(String(error));
  console.error(error);
}
for (const each of wrong.slice(0, MOST_SHOWN)) console.error(each.slice(0, 1000));
if (wrong.length > MOST_SHOWN) console.error(`and ${wrong.length - MOST_SHOWN} more`);
await end(wrong.length > 0 ? 1 : 0);
