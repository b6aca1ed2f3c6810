// `npm run bench`: the service beside a hand-written floor. `npm run bench -- --rounds 1` is a quick look.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { sealPassword } from "../src/user/passwords.ts";
import { bundle, serve } from "./contestant.ts";
import { WORKLOADS } from "./workloads.ts";
import type { Asked, Kind } from "./workloads.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);

const PETS = 10_000;
const SANDBOX_PETS = 1000;
const CONNECTIONS = [1, 32];
/** How long one contestant is under load in a round. */
const LOAD_MS = 1000;
const KEY = "bG9jYWwgZGV2ZWxvcG1lbnQga2V5LCAzMiBieXRlcyE=";
const PAGE = "docs/benchmarks.md";

/** Headers that differ between two answers that are the same. */
const VOLATILE = /^(?:etag|x-request-id|x-d1-bookmark|set-cookie|x-expires-after|date)$/;

const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, other) => one - other)[(numbers.length - 1) >> 1] ?? Number.NaN;

const mean = (numbers: readonly number[]) =>
  Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);

const ask = async (url: string, { method, path, body }: Asked) =>
  fetch(`${url}/v2${path}`, {
    method,
    ...(body !== undefined && { body, headers: { "Content-Type": "application/json" } }),
  });

/** An answer without what is volatile. */
async function contentOf(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !VOLATILE.test(name));
  const text = (await response.text()).replace(/session:[\w-]+/, "session:");
  return JSON.stringify([response.status, headers, text]);
}

/** Each connection sends one request after another. @returns requests a second */
async function load(url: string, connections: number, next: () => Asked): Promise<number> {
  const began = performance.now();
  let done = 0;
  const askUntilEnd = async () => {
    for (; performance.now() < began + LOAD_MS; done++) {
      const response = await ask(url, next());
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, askUntilEnd));
  return (done * 1000) / (performance.now() - began);
}

const ratio = (series: readonly number[], floor: readonly number[]) =>
  median(series.map((value, round) => value / (floor[round] ?? Number.NaN)));

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

const bundles = { floor: bundle("floor"), ours: bundle("index") };
const floor = await serve(bundles.floor);
const ours = await serve(bundles.ours, true);
try {
  const sealed = await sealPassword([KEY], "correct horse");
  await floor.fill(PETS, sealed);
  await ours.fill(PETS, sealed);
  for (const { name, request } of WORKLOADS) {
    const [one, other] = await Promise.all(
      [floor, ours].map(async ({ origin }) => contentOf(await ask(origin, request(1, PETS)))),
    );
    if (one !== other) throw new Error(`${name}: the floor answers ${one}, and we ${other}`);
  }

  const cpu = [];
  for (const { name, kind, rows: sql, request } of WORKLOADS) {
    console.error(`CPU in isolation: ${name}`);
    const times = { floor: [] as number[], ours: [] as number[] };
    const rows = await floor.rowsOf(sql);
    // Round 0 is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      const count = kind === "pages" ? 1000 : 3000;
      const floorTime = await floor.isolate(request(7, PETS), rows, count);
      const oursTime = await ours.isolate(request(7, PETS), rows, count);
      if (round > 0) {
        times.floor.push(floorTime);
        times.ours.push(oursTime);
      }
    }
    cpu.push({ name, floor: median(times.floor), ours: median(times.ours) });
  }

  const cells = WORKLOADS.flatMap((workload) =>
    CONNECTIONS.map((connections) => ({
      ...workload,
      connections,
      floor: [] as number[],
      ours: [] as number[],
      sandbox: [] as number[],
    })),
  );
  let number = 0;
  for (let round = 0; round <= rounds; round++) {
    for (const cell of cells) {
      console.error(`round ${round} of ${rounds}: ${cell.name}, ${cell.connections} connections`);
      const contestants = [
        [cell.floor, floor.origin, PETS],
        [cell.ours, ours.origin, PETS],
        [cell.sandbox, await ours.fillSandbox(SANDBOX_PETS), SANDBOX_PETS],
      ] as const;
      const first = number;
      for (const [rates, url, pets] of contestants) {
        // Each contestant gets the same requests in the same order.
        let at = first;
        const rate = await load(url, cell.connections, () => cell.request(++at, pets));
        if (round > 0) rates.push(rate);
        number = Math.max(number, at);
      }
    }
  }

  const starts: number[] = [];
  for (let round = 0; round < 2 * rounds; round++) {
    const served = await serve(bundles.ours);
    starts.push(await served.loadModule());
    await served.stop();
  }

  const ofSandbox = (kind: Kind) =>
    mean(
      cells.filter((cell) => cell.kind === kind && cell.connections > 1).map((cell) => ratio(cell.sandbox, cell.floor)),
    ).toFixed(2);
  const throughput = mean(cells.map((cell) => ratio(cell.ours, cell.floor))).toFixed(2);
  const bytes = bundles.ours.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
  const limits = [
    ["Throughput, ours / floor, mean of all cells", "at least 0.90", throughput],
    ["Throughput, sandbox / floor: reads", "at least 2.5", ofSandbox("reads")],
    ["Throughput, sandbox / floor: pages", "at least 1.7", ofSandbox("pages")],
    ["Throughput, sandbox / floor: logins", "at least 2", ofSandbox("logins")],
    ["CPU of the start", "at most 12 ms", `${median(starts).toFixed(1)} ms`],
    ["Bundle, gzipped", "at most 62,000 bytes", bytes.toLocaleString("en")],
  ];
  const perSecond = cells.map((cell) => [
    cell.name,
    String(cell.connections),
    ...[cell.floor, cell.ours, cell.sandbox].map((rates) => median(rates).toFixed(0)),
    ratio(cell.ours, cell.floor).toFixed(2),
    ratio(cell.sandbox, cell.floor).toFixed(2),
  ]);
  const microseconds = cpu.map((one) => [
    one.name,
    one.floor.toFixed(0),
    one.ours.toFixed(0),
    (one.ours / one.floor).toFixed(2),
  ]);
  const [processor] = cpus();
  const results = `Measured ${new Date().toISOString().slice(0, 10)}, ${processor?.model.trim()}, ${cpus().length} cores, medians of ${rounds} rounds.

${table(["", "limit", "measured"], limits)}

Requests a second:

${table(["workload", "connections", "floor", "ours", "sandbox", "ours / floor", "sandbox / floor"], perSecond)}

Microseconds of CPU for one request, in isolation:

${table(["workload", "floor", "ours", "ours / floor"], microseconds)}`;
  console.log(results);
  const [begin, end] = ["<!-- bench: begin -->", "<!-- bench: end -->"];
  const [before, rest = ""] = readFileSync(PAGE, "utf8").split(begin);
  const [, after] = rest.split(end);
  if (after === undefined) throw new Error(`${PAGE} has no markers`);
  writeFileSync(PAGE, `${before}${begin}\n\n${results}\n\n${end}${after}`);
} finally {
  await Promise.all([floor.stop(), ours.stop()]);
}
