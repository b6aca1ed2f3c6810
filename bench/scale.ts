// `npm run bench:scale`: what the service costs at a thousand, a hundred thousand and a million pets.
// Options: --rounds 5 --seconds 0.8 --sizes 1000,100000,1000000; --lists: no latencies
import { get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { build } from "./contestants.ts";
import { inspect, usedHeap } from "./inspector.ts";
import { load } from "./load.ts";
import { harness, readMeter } from "./measure.ts";
import { residentMemory } from "../e2e/processes.ts";
import { environment, median, progress, publish, table } from "./report.ts";
import { fill, fillWithLargest, migrate, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import { WORKLOADS } from "./workloads.ts";
import type { Asked } from "./workloads.ts";

const TARGETS = { growth: 1.2, megabytes: 64 };
const SAMPLE_MS = 20;
/** Pets as large as they may be: some 94 MB. */
const LARGEST = 2000;
const EVERYTHING = "/v2/pet/findByStatus?status=available,pending,sold";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "0.8" },
    sizes: { type: "string", default: "1000,100000,1000000" },
    lists: { type: "boolean", default: false },
  },
});
const rounds = Number(options.rounds);
const milliseconds = Number(options.seconds) * 1000;
const sizes = options.sizes.split(",").map(Number);

const inventory = (): Asked => ({ method: "GET", path: "/v2/store/inventory" });
const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);

interface Listed {
  readonly seconds: number;
  readonly firstByte: number;
  readonly bytes: number;
  readonly queries: number;
}

/** Reads the complete list. @throws Error if it has not so many pets */
async function list({ port }: Served, expected: number): Promise<Listed> {
  await readMeter(port);
  const begin = performance.now();
  let firstByte = 0;
  let bytes = 0;
  let pets = 0;
  const mark = Buffer.from('"photoUrls"');
  await new Promise<void>((resolve, reject) => {
    get({ port, host: "127.0.0.1", path: EVERYTHING }, (answer) => {
      let rest: Buffer = Buffer.alloc(0);
      answer.on("data", (chunk: Buffer) => {
        firstByte ||= performance.now() - begin;
        bytes += chunk.byteLength;
        // A mark may lie across two chunks.
        const text = Buffer.concat([rest, chunk]);
        for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) pets++;
        rest = text.subarray(Math.max(0, text.length - mark.length + 1));
      });
      answer.on("end", resolve).on("error", reject);
    }).on("error", reject);
  });
  const seconds = (performance.now() - begin) / 1000;
  const { statements: queries } = await readMeter(port);
  if (pets !== expected) throw new Error(`the list of ${expected} had ${pets} pets`);
  return { seconds, firstByte, bytes, queries };
}

/** Samples a size while `work` runs. @returns its result, and the size before and at its peak */
async function watch<Result>(
  sample: () => number | Promise<number>,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly before: number; readonly peak: number }> {
  const before = await sample();
  let peak = before;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      peak = Math.max(peak, await sample());
      await wait(SAMPLE_MS);
    }
  })();
  const result = await work().finally(() => over.abort());
  await watching;
  return { result, before, peak };
}

const sql = await statementsOfService();
const script = build("ours");
const started: { readonly size: number; readonly served: Served }[] = [];

/** The workloads, on every store in turn. */
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

  const missed: string[] = [];
  const [smallest = 0] = sizes;
  const largest = sizes.at(-1) ?? 0;
  const rows = WORKLOADS.map(({ name }) => {
    const of = (size: number) => p50s.get(`${name}/${size}`) ?? [];
    const base = of(smallest);
    const growth = median(of(largest).map((p50, round) => p50 / (base[round] ?? Number.NaN)));
    const held = growth <= TARGETS.growth;
    if (!held) missed.push(`${name}: ${growth.toFixed(2)} times, target ${TARGETS.growth}`);
    return [
      name,
      ...sizes.map((size) => median(of(size)).toFixed(2)),
      `${growth.toFixed(2)}${held ? "" : ", missed"}`,
    ];
  });
  publish(
    "scale",
    `Measured ${environment()} ${rounds} rounds of ${options.seconds} s a cell, one connection.

p50 in milliseconds; target: at ${largest} pets at most ${TARGETS.growth} times that at ${smallest} (median of the
rounds' ratios).

${table(["workload", ...sizes.map(String), "growth"], rows)}`,
    missed,
  );
}

try {
  for (const size of sizes) {
    const served = await serve(script, { sql, harness: harness("metered"), inspect: true });
    started.push({ size, served });
    await migrate(served.db);
    await fill(served.db, size, (done) => progress(done, size, `filling ${size} pets`));
  }

  // The lists first: before the workloads add pets.
  const missed: string[] = [];
  const listRows: string[][] = [];
  const measureLists = async (name: string, size: number, served: Served) => {
    await load({ port: served.port, connections: 8, milliseconds: 500, next: inventory });
    if (!served.inspector) throw new Error("there is no inspector");
    const inspection = await inspect(served.inspector);
    const read = async () => list(served, size);
    const used = async () => usedHeap(inspection);
    const resident = () => residentMemory(served.pid);
    const first = await watch(used, async () => watch(resident, read));
    const second = await watch(used, async () => watch(resident, read));
    inspection.close();
    const grown = (Math.max(first.peak, second.peak) - first.before) / 2 ** 20;
    const held = grown <= TARGETS.megabytes;
    if (!held) {
      missed.push(`heap, list of ${name}: ${grown.toFixed(0)} MB, target ${TARGETS.megabytes}`);
    }
    const { seconds, firstByte, bytes, queries } = first.result.result;
    listRows.push([
      name,
      seconds.toFixed(2),
      firstByte.toFixed(1),
      megabytes(bytes),
      String(queries),
      `${grown.toFixed(0)}${held ? "" : ", missed"}`,
      megabytes(first.result.before),
      megabytes(first.result.peak - first.result.before),
      megabytes(second.result.peak - second.result.before),
    ]);
  };
  for (const { size, served } of started) await measureLists(String(size), size, served);
  const ofLargest = await serve(script, { sql, harness: harness("metered"), inspect: true });
  try {
    await migrate(ofLargest.db);
    await fillWithLargest(ofLargest.db, LARGEST);
    await measureLists(`${LARGEST} of 48 KiB`, LARGEST, ofLargest);
  } finally {
    await ofLargest.stop();
  }
  publish(
    "lists",
    `Measured ${environment()}

\`GET ${EVERYTHING}\`, twice. Target: the heap of the Worker, with its buffers and garbage,
grows by at most ${TARGETS.megabytes} MB over both. The process also has D1's simulator and SQLite.

${table(["pets", "seconds", "first byte (ms)", "MB sent", "D1 queries", "MB of heap grown", "process before (MB)", "grown by the first", "by the second"], listRows)}`,
    missed,
  );
  if (!options.lists) await publishLatencies();
} finally {
  for (const { served } of started) await served.stop();
}
