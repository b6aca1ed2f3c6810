// `npm run bench:scale`: latency by the number of pets, and the time and memory of the complete list.
// Options: --rounds 5 --seconds 0.8 --sizes 1000,100000,1000000
import { setTimeout as wait } from "node:timers/promises";
import { build } from "./contestants.ts";
import { inspect } from "./inspector.ts";
import { load } from "./load.ts";
import { ask, harness } from "./measure.ts";
import { environment, median, optionsOf, progress, publish, ratio, table } from "./report.ts";
import { fill, fillWithLargest, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import { WORKLOADS } from "./workloads.ts";
import type { Asked } from "./workloads.ts";

const SAMPLE_MS = 20;
/** The number of pets of the largest size: 94 MB in all. */
const LARGEST = 2000;
const EVERYTHING = "/v2/pet/findByStatus?status=available,pending,sold";

const options = optionsOf({ rounds: "5", seconds: "0.8", sizes: "1000,100000,1000000" });
const rounds = Number(options.rounds);
const milliseconds = Number(options.seconds) * 1000;
const sizes = options.sizes.split(",").map(Number);

const inventory = (): Asked => ({ method: "GET", path: "/v2/store/inventory" });

interface Listed {
  readonly seconds: number;
  readonly firstByte: number;
  readonly bytes: number;
}

/** Reads the complete list. @throws Error if it does not have the expected number of pets */
async function list({ port }: Served, expected: number): Promise<Listed> {
  const begin = performance.now();
  let firstByte = 0;
  let bytes = 0;
  let pets = 0;
  let rest = "";
  const mark = '"photoUrls"';
  const answer = await ask(port, { method: "GET", path: EVERYTHING });
  for await (const chunk of answer.body ?? []) {
    firstByte ||= performance.now() - begin;
    bytes += chunk.byteLength;
    // A mark may span two chunks.
    const text = rest + Buffer.from(chunk).toString("latin1");
    pets += text.split(mark).length - 1;
    rest = text.slice(text.lastIndexOf(mark) + 1).slice(1 - mark.length);
  }
  if (pets !== expected) throw new Error(`the list of ${expected} had ${pets} pets`);
  return { seconds: (performance.now() - begin) / 1000, firstByte, bytes };
}

/** The largest sample while `work` runs. */
async function peakOf(
  sample: () => Promise<number>,
  work: () => Promise<unknown>,
): Promise<number> {
  let peak = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      peak = Math.max(peak, await sample());
      await wait(SAMPLE_MS);
    }
  })();
  await work().finally(() => over.abort());
  await watching;
  return peak;
}

const sql = await statementsOfService();
const script = build("ours");
const started: { readonly size: number; readonly served: Served }[] = [];

/** Runs each workload on every store in turn. */
async function publishLatencies(): Promise<void> {
  const p50s = new Map<string, number[]>();
  const total = (rounds + 1) * WORKLOADS.length;
  let done = 0;
  let number = 0;
  for (let round = 0; round <= rounds; round++) {
    for (const workload of WORKLOADS) {
      progress(done++, total, `round ${round} of ${rounds}: ${workload.name}`);
      const first = number;
      for (const { size, served } of started) {
        let at = first;
        const measured = await load({
          port: served.port,
          connections: 1,
          milliseconds,
          next: () => workload.request(++at, size),
        });
        if (measured.refused > 0) throw new Error(`${workload.name} was refused`);
        number = Math.max(number, at);
        if (round === 0) continue;
        const key = `${workload.name}/${size}`;
        p50s.set(key, [...(p50s.get(key) ?? []), measured.p50]);
      }
    }
  }
  progress(total, total, "workloads");

  const [smallest = 0] = sizes;
  const largest = sizes.at(-1) ?? 0;
  const rows = WORKLOADS.map(({ name }) => {
    const of = (size: number) => p50s.get(`${name}/${size}`) ?? [];
    const growth = ratio(of(largest), of(smallest)).toFixed(2);
    return [name, ...sizes.map((size) => median(of(size)).toFixed(2)), growth];
  });
  publish(
    "scale",
    `Measured ${environment()} ${rounds} rounds of ${options.seconds} s a cell, one connection.

p50 in milliseconds by the number of pets. Growth is the median of the rounds' ratios, ${largest} to ${smallest}.

${table(["workload", ...sizes.map(String), "growth"], rows)}`,
  );
}

try {
  for (const size of sizes) {
    const served = await serve(script, { sql, harness: harness("local"), inspect: true });
    started.push({ size, served });
    await fill(served.db, size, (done) => progress(done, size, `filling ${size} pets`));
  }

  // Before the workloads, because they add pets.
  const listRows: string[][] = [];
  const measureLists = async (name: string, size: number, served: Served) => {
    await load({ port: served.port, connections: 8, milliseconds: 500, next: inventory });
    if (!served.inspector) throw new Error("there is no inspector");
    const { usedHeap, close } = await inspect(served.inspector);
    const before = await usedHeap();
    let listed: Listed | undefined;
    const peak = await peakOf(usedHeap, async () => {
      for (const _ of ["once", "twice"]) listed = await list(served, size);
    });
    close();
    const { seconds = NaN, firstByte = NaN, bytes = NaN } = listed ?? {};
    listRows.push([
      name,
      seconds.toFixed(2),
      firstByte.toFixed(1),
      (bytes / 2 ** 20).toFixed(0),
      ((peak - before) / 2 ** 20).toFixed(0),
    ]);
  };
  for (const { size, served } of started) await measureLists(String(size), size, served);
  const ofLargest = await serve(script, { sql, harness: harness("local"), inspect: true });
  try {
    await fillWithLargest(ofLargest.db, LARGEST);
    await measureLists(`${LARGEST} of 48 KiB`, LARGEST, ofLargest);
  } finally {
    await ofLargest.stop();
  }
  publish(
    "lists",
    `Measured ${environment()}

\`GET ${EVERYTHING}\`, twice; the times are those of the second.
Growth is that of the Worker's heap over both, with its buffers and garbage.

${table(["pets", "seconds", "first byte (ms)", "MB sent", "MB of heap grown"], listRows)}`,
  );
  await publishLatencies();
} finally {
  for (const { served } of started) await served.stop();
}
