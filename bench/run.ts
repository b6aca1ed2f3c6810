// `npm run bench`: the service beside a hand-written floor. `npm run bench -- --rounds 1` is a quick look.
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import type { Module } from "../e2e/workerd.ts";
import { mean, median, publish, table } from "./report.ts";
import { build, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import { WORKLOADS } from "./workloads.ts";
import type { Asked, Kind } from "./workloads.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);

const PETS = 10_000;
const SANDBOX_PETS = 1000;
const CONNECTIONS = [1, 32];
/** How long one contestant is under load in a round. */
const LOAD_MS = 1000;

/** The parts of an answer that differ between two that are the same. */
const VOLATILE = /^(?:etag|x-request-id|x-d1-bookmark|set-cookie|x-expires-after|date)$/;

const ask = async (baseUrl: string, { method, path, body }: Asked) =>
  fetch(baseUrl + path, {
    method,
    ...(body && { body, headers: { "Content-Type": "application/json" } }),
  });

/** An answer without what is volatile. */
async function contentOf(answer: Response): Promise<string> {
  const headers = [...answer.headers].map(([name, value]) => [name, VOLATILE.test(name) || value]);
  const text = (await answer.text()).replace(/session:[\w-]+/, "session:");
  return JSON.stringify([answer.status, Object.fromEntries(headers), text]);
}

/** Loads a server for a second, each connection with one request after another. @returns requests a second */
async function load(baseUrl: string, connections: number, next: () => Asked): Promise<number> {
  const began = performance.now();
  let done = 0;
  const askUntilEnd = async () => {
    for (; performance.now() < began + LOAD_MS; done++) {
      const answer = await ask(baseUrl, next());
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, askUntilEnd));
  return (done * 1000) / (performance.now() - began);
}

/** The median of the rounds' ratios. */
const ratio = (series: readonly number[], floor: readonly number[]) =>
  median(series.map((value, round) => value / (floor[round] ?? Number.NaN)));

async function throughput(servers: Readonly<Record<"floor" | "ours", Served>>) {
  const cells = WORKLOADS.flatMap((workload) =>
    CONNECTIONS.map((connections) => {
      const rates: Record<"floor" | "ours" | "sandbox", number[]> = {
        floor: [],
        ours: [],
        sandbox: [],
      };
      return { workload, connections, rates };
    }),
  );
  let number = 0;
  // Round 0 is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const { workload, connections, rates } of cells) {
      console.error(`round ${round} of ${rounds}: ${workload.name}, ${connections} connections`);
      const contestants = [
        [rates.floor, servers.floor.baseUrl, PETS],
        [rates.ours, servers.ours.baseUrl, PETS],
        [rates.sandbox, await servers.ours.fillSandbox(SANDBOX_PETS), SANDBOX_PETS],
      ] as const;
      const first = number;
      for (const [rate, baseUrl, pets] of contestants) {
        // Each contestant gets the same requests in the same order.
        let at = first;
        const perSecond = await load(baseUrl, connections, () => workload.request(++at, pets));
        if (round > 0) rate.push(perSecond);
        number = Math.max(number, at);
      }
    }
  }
  return cells.map(({ workload: { name, kind }, connections, rates }) => ({
    name,
    kind,
    connections,
    perSecond: rates,
    ours: ratio(rates.ours, rates.floor),
    sandbox: ratio(rates.sandbox, rates.floor),
  }));
}

async function isolated(servers: Readonly<Record<"floor" | "ours", Served>>) {
  const sql = await statementsOfService();
  const rows = [];
  for (const { name, kind, statement, request: make } of WORKLOADS) {
    console.error(`CPU in isolation: ${name}`);
    const trial = {
      ...make(7, PETS),
      status: 200,
      rows: await servers.floor.rowsOf(sql[statement]),
      count: kind === "pages" ? 1000 : 3000,
    };
    const floor = await servers.floor.isolate(trial, rounds);
    rows.push({ name, floor, ours: await servers.ours.isolate(trial, rounds) });
  }
  return rows;
}

/** The CPU time of loading the service, in milliseconds, each time in a new process. */
async function startUp(modules: readonly Module[]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const served = await serve(modules);
    times.push(await served.loadModule());
    await served.stop();
  }
  return median(times);
}

const bundles = { floor: build("floor"), ours: build("index") };
const servers = {
  floor: await serve(bundles.floor),
  ours: await serve(bundles.ours, true),
};
try {
  for (const served of Object.values(servers)) await served.fill(PETS);
  for (const { name, request: make } of WORKLOADS) {
    const asked = make(1, PETS);
    const floor = await contentOf(await ask(servers.floor.baseUrl, asked));
    const ours = await contentOf(await ask(servers.ours.baseUrl, asked));
    if (floor !== ours) throw new Error(`${name}: the floor answers ${floor}, and we ${ours}`);
  }
  const cpu = await isolated(servers);
  const cells = await throughput(servers);

  const service = mean(cells.map((cell) => cell.ours)).toFixed(2);
  const sandbox = (kind: Kind) => {
    const loaded = cells.filter((cell) => cell.kind === kind && cell.connections > 1);
    return mean(loaded.map((cell) => cell.sandbox)).toFixed(2);
  };
  const start = (await startUp(bundles.ours)).toFixed(1);
  const bytes = bundles.ours
    .reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0)
    .toLocaleString("en");
  const limits = [
    ["Throughput, ours / floor, mean of all cells", "at least 0.90", service],
    ["Throughput, sandbox / floor: reads", "at least 2.5", sandbox("reads")],
    ["Throughput, sandbox / floor: pages", "at least 1.7", sandbox("pages")],
    ["Throughput, sandbox / floor: logins", "at least 2", sandbox("logins")],
    ["CPU of the start", "at most 8 ms", `${start} ms`],
    ["Bundle, gzipped", "at most 80,000 bytes", bytes],
  ];
  const perSecond = cells.map(({ name, connections, perSecond: rates, ...ratios }) => [
    name,
    String(connections),
    ...[rates.floor, rates.ours, rates.sandbox].map((each) => median(each).toFixed(0)),
    ...[ratios.ours, ratios.sandbox].map((each) => each.toFixed(2)),
  ]);
  const microseconds = cpu.map(({ name, floor, ours }) => [
    name,
    ...[floor, ours].map((number) => number.toFixed(0)),
    (ours / floor).toFixed(2),
  ]);
  publish(
    "bench",
    `${table(["", "limit", "measured"], limits)}

Requests a second, medians of ${rounds} rounds:

${table(["workload", "connections", "floor", "ours", "sandbox", "ours / floor", "sandbox / floor"], perSecond)}

Microseconds of CPU for one request, in isolation:

${table(["workload", "floor", "ours", "ours / floor"], microseconds)}`,
  );
} finally {
  for (const served of Object.values(servers)) await served.stop();
}
