// The production bundle beside a hand-written floor.
import { gzipSync } from "node:zlib";
import { bundle, serve } from "./contestant.ts";
import { compete, mean, median, ratio, table } from "./measure.ts";
import { WORKLOADS, type Asked, type Kind } from "./workloads.ts";

const PETS = 10_000;
const SANDBOX_PETS = 1000;
const CONNECTIONS = [1, 32];
/** How many requests measure the CPU in isolation. */
const TRIAL = 2000;

/** Headers that differ between two equal responses. */
const VOLATILE = /^(?:etag|x-request-id|x-d1-bookmark|set-cookie|x-expires-after|date)$/;

const ask = async (url: string, { path, ...init }: Asked) => fetch(`${url}/v2${path}`, init);

/** Returns a response without its volatile parts. */
async function contentOf(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !VOLATILE.test(name));
  const text = (await response.text()).replace(/session:[\w-]+/, "session:");
  return JSON.stringify([response.status, headers, text]);
}

/** Measures the bundle and the floor in turns. @returns three tables */
export async function measureBundle(rounds: number): Promise<string> {
  const bundles = { floor: bundle("floor"), ours: bundle("index") };
  const floor = await serve(bundles.floor, PETS);
  const ours = await serve(bundles.ours, PETS, true);
  try {
    for (const { name, request } of WORKLOADS) {
      const one = await contentOf(await ask(floor.origin, request(1, PETS)));
      const other = await contentOf(await ask(ours.origin, request(1, PETS)));
      if (one !== other) throw new Error(`${name}: the floor returns ${one}, and the service ${other}`);
    }

    const microseconds: string[][] = [];
    for (const { name, rows: sql, request } of WORKLOADS) {
      console.error(`bundle: CPU in isolation: ${name}`);
      const times = { floor: [] as number[], ours: [] as number[] };
      const rows = await floor.rowsOf(sql);
      for (let round = 1; round <= rounds; round++) {
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
    for (let round = 1; round <= rounds; round++) {
      for (const cell of cells) {
        console.error(`bundle: round ${round} of ${rounds}: ${cell.name}, ${cell.connections} connections`);
        // Each gets the same requests in the same order.
        const from = (url: string, pets: number) => {
          let number = round * 1_000_000;
          return { url: `${url}/v2`, next: () => cell.request(++number, pets) };
        };
        const sandbox = from(await ours.fillSandbox(SANDBOX_PETS), SANDBOX_PETS);
        const contestants = [from(floor.origin, PETS), from(ours.origin, PETS), sandbox];
        const rates = await compete(contestants, cell.connections);
        for (const [index, series] of [cell.floor, cell.ours, cell.sandbox].entries())
          series.push(rates[index] ?? Number.NaN);
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
        cells
          .filter((cell) => cell.kind === kind && cell.connections > 1)
          .map((cell) => ratio(cell.sandbox, cell.floor)),
      ).toFixed(2);
    const throughput = mean(cells.map((cell) => ratio(cell.ours, cell.floor))).toFixed(2);
    const bytes = bundles.ours.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
    const limits = [
      ["Throughput, ours / floor, mean of all cells", "at least 0.85", throughput],
      ["Bundle, gzipped", "at most 63,500 bytes", bytes.toLocaleString("en")],
      ["Throughput, sandbox / floor: reads", "", ofSandbox("reads")],
      ["Throughput, sandbox / floor: pages", "", ofSandbox("pages")],
      ["Throughput, sandbox / floor: logins", "", ofSandbox("logins")],
      ["CPU of the start", "", `${median(starts).toFixed(1)} ms`],
    ];
    const perSecond = cells.map((cell) => [
      cell.name,
      String(cell.connections),
      ...[cell.floor, cell.ours, cell.sandbox].map((rates) => median(rates).toFixed(0)),
      ratio(cell.ours, cell.floor).toFixed(2),
      ratio(cell.sandbox, cell.floor).toFixed(2),
    ]);

    return `${table(["", "limit", "measured"], limits)}

Requests a second:

${table(["workload", "connections", "floor", "ours", "sandbox", "ours / floor", "sandbox / floor"], perSecond)}

Microseconds of CPU for one request, in isolation:

${table(["workload", "floor", "ours", "ours / floor"], microseconds)}`;
  } finally {
    await Promise.all([floor.stop(), ours.stop()]);
  }
}
