// `npm run bench`: the service beside a hand-written floor. `npm run bench -- --rounds 1` is a quick look.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { bundle, serve } from "./contestant.ts";
import { WORKLOADS, type Asked, type Kind } from "./workloads.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);

const PETS = 10_000;
const SANDBOX_PETS = 1000;
const CONNECTIONS = [1, 32];
/** How long one contestant is under load in a turn, and its turns in a round: a busy machine changes its speed meanwhile. */
const LOAD_MS = 200;
const TURNS = 6;
/** How many requests measure the CPU in isolation. */
const TRIAL = 2000;
const PAGE = "docs/benchmarks.md";

/** Headers that differ between two answers that are the same. */
const VOLATILE = /^(?:etag|x-request-id|x-d1-bookmark|set-cookie|x-expires-after|date)$/;

/** The median of the rounds after the first, which is a warm-up. */
function median([, ...numbers]: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[(numbers.length - 1) >> 1] ?? Number.NaN;
}

const mean = (numbers: readonly number[]) =>
  Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);

const ask = async (url: string, { path, ...init }: Asked) => fetch(`${url}/v2${path}`, init);

/** An answer without what is volatile. */
async function contentOf(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !VOLATILE.test(name));
  const text = (await response.text()).replace(/session:[\w-]+/, "session:");
  return JSON.stringify([response.status, headers, text]);
}

/** Each connection sends one request after another. @returns how many, and how long it took */
async function load(url: string, connections: number, next: () => Asked): Promise<{ done: number; ms: number }> {
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
  return { done, ms: performance.now() - began };
}

const ratio = (series: readonly number[], floor: readonly number[]) =>
  median(series.map((value, round) => value / (floor[round] ?? Number.NaN)));

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

const bundles = { floor: bundle("floor"), ours: bundle("index") };
const floor = await serve(bundles.floor, PETS);
const ours = await serve(bundles.ours, PETS, true);
try {
  for (const { name, request } of WORKLOADS) {
    const one = await contentOf(await ask(floor.origin, request(1, PETS)));
    const other = await contentOf(await ask(ours.origin, request(1, PETS)));
    if (one !== other) throw new Error(`${name}: the floor answers ${one}, and we ${other}`);
  }

  const microseconds: string[][] = [];
  for (const { name, rows: sql, request } of WORKLOADS) {
    console.error(`CPU in isolation: ${name}`);
    const times = { floor: [] as number[], ours: [] as number[] };
    const rows = await floor.rowsOf(sql);
    for (let round = 0; round <= rounds; round++) {
      times.floor.push(await floor.isolate(request(7, PETS), rows, TRIAL));
      times.ours.push(await ours.isolate(request(7, PETS), rows, TRIAL));
    }
    const [least, taken] = [median(times.floor), median(times.ours)];
    microseconds.push([name, least.toFixed(0), taken.toFixed(0), (taken / least).toFixed(2)]);
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
  for (let round = 0; round <= rounds; round++) {
    for (const cell of cells) {
      console.error(`round ${round} of ${rounds}: ${cell.name}, ${cell.connections} connections`);
      const contestants = [
        { url: floor.origin, pets: PETS, rates: cell.floor },
        { url: ours.origin, pets: PETS, rates: cell.ours },
        { url: await ours.fillSandbox(SANDBOX_PETS), pets: SANDBOX_PETS, rates: cell.sandbox },
        // Each gets the same requests in the same order.
      ].map((each) => ({ ...each, number: round * 1_000_000, done: 0, ms: 0 }));
      for (let turn = 0; turn < TURNS; turn++) {
        for (const each of contestants) {
          const { done, ms } = await load(each.url, cell.connections, () => cell.request(++each.number, each.pets));
          each.done += done;
          each.ms += ms;
        }
      }
      for (const { rates, done, ms } of contestants) rates.push((done * 1000) / ms);
    }
  }

  const starts: number[] = [];
  for (let round = 0; round <= 2 * rounds; round++) {
    const served = await serve(bundles.ours, 0);
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
  const results = `Measured ${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores, medians of ${rounds} rounds.

${table(["", "limit", "measured"], limits)}

Requests a second:

${table(["workload", "connections", "floor", "ours", "sandbox", "ours / floor", "sandbox / floor"], perSecond)}

Microseconds of CPU for one request, in isolation:

${table(["workload", "floor", "ours", "ours / floor"], microseconds)}`;
  console.log(results);
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, page.replace(/(?<=<!-- bench: begin -->)[^]*(?=<!-- bench: end -->)/, `\n\n${results}\n\n`));
} finally {
  await Promise.all([floor.stop(), ours.stop()]);
}
