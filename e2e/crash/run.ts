// `node e2e/crash/run.ts [--rounds 12] [--soak 30] [--seed N] [--own]`: first, readers and writers run together. Then, in each
// round, SIGKILL ends the writes at a random moment, and everything that was acknowledged is read back:
// docs/reliability.md. Ends with exit status 1 if anything is wrong.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { audit } from "./audit.ts";
import { Ledger } from "./ledger.ts";
import { Load } from "./load.ts";
import { below, randomOf } from "./random.ts";
import { serve } from "./served.ts";
import type { Served } from "./served.ts";
import { soak } from "./soak.ts";
import { prepareStore } from "../../scripts/local-store.ts";
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
const seed = wholeNumber(values.seed);
const base = values.own ? "/stores/of-the-crash-test/v2" : "/v2";

/** The number of writes that were in flight when the service was killed. */
let cutOff = 0;
const faults: string[] = [];

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

/** Reads everything back. Then the load continues with what exists. */
async function judged(url: string): Promise<string> {
  const found = await audit(url, ledger);
  const repeated = await load.repeatUnanswered(url);
  load.resume();
  faults.push(...found.faults, ...load.errors.splice(0));
  return `${counted(found.read)} read back, ${repeated} creates repeated, ${faults.length} faults so far`;
}

async function soaked(url: string): Promise<void> {
  const milliseconds = soakSeconds * 1000;
  const [{ answers, errors }] = await Promise.all([
    soak(url, ledger, random, SOAK_CLIENTS, milliseconds),
    load.run(url, SOAK_CLIENTS, milliseconds),
  ]);
  faults.push(...errors);
  console.log(
    `soak ${soakSeconds} s, ${SOAK_CLIENTS} readers and ${SOAK_CLIENTS} writers: ${counted(answers)} reads, ${counted(ledger.acknowledged)} writes; ${await judged(url)}`,
  );
}

/** Writes until the service is killed, restarts it, and reads everything back. */
async function round(number: number, victim: Served, bundled: string): Promise<void> {
  const before = ledger.acknowledged;
  const lifeMs = SHORTEST_ROUND_MS + below(random, LONGEST_ROUND_MS - SHORTEST_ROUND_MS);
  cutOff += await load.run(victim.url, CLIENTS, lifeMs, victim.kill);
  const writes = ledger.acknowledged - before;
  served = undefined;
  served = await serve(bundled, folder, base);
  console.log(
    `round ${String(number).padStart(2)}: killed after ${lifeMs} ms, ${counted(writes)} writes acknowledged; ${await judged(served.url)}`,
  );
}

try {
  console.log(`seed ${seed}, ${base}`);
  const bundled = join(folder, "worker");
  bundle(bundled, "--env", "local");
  await prepareStore(folder, { empty: true });
  served = await serve(bundled, folder, base);
  await load.begin(served.url);
  if (soakSeconds > 0) await soaked(served.url);
  for (let number = 1; number <= rounds; number++) await round(number, served, bundled);
  console.log(
    `${rounds} rounds, ${counted(ledger.acknowledged)} writes acknowledged, ${cutOff} in flight when killed; seed ${seed}`,
  );
} catch (error) {
  faults.push(String(error));
  console.error(error);
}
for (const each of faults.slice(0, MOST_SHOWN)) console.error(each.slice(0, 1000));
if (faults.length > MOST_SHOWN) console.error(`and ${faults.length - MOST_SHOWN} more`);
await end(faults.length > 0 ? 1 : 0);
