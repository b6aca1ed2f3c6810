// `npm run bench`: the service beside a hand-written floor.
// Options: --rounds 5 --seconds 0.8 --connections 1,8,32
import { parseArgs } from "node:util";
import { cpuTime } from "../e2e/processes.ts";
import { build, sizeOf } from "./contestants.ts";
import type { Contestant } from "./contestants.ts";
import { load } from "./load.ts";
import type { Load } from "./load.ts";
import { ask, harness, isolate, sampleRows, startUpCpu } from "./measure.ts";
import { environment, median, progress, publish, table } from "./report.ts";
import { fill, fillOwnStore, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import { WORKLOADS } from "./workloads.ts";
import type { Asked, Workload } from "./workloads.ts";

const PETS = 10_000;
/** The control is a second floor. The difference between the two is the noise of the measurement. */
const CONTESTANTS = ["floor", "ours", "control"] as const;
const TARGETS = { throughput: 0.95, cpu: 1.6, gzipped: 54_000, startUp: 4.5 };

const OWN_STORE = "00000000-bench-0001";
/**
 * The number of pets with which a sandbox begins each round. It has room for 10 MB, and a round adds
 * thousands.
 */
const OWN_PETS = 1000;
/** Targets: the throughput of a sandbox in multiples of the floor's, at 8 connections and more. */
const OWN_TARGETS: Readonly<Record<string, number>> = {
  "get a pet": 3,
  inventory: 3,
  "page of 100 by status": 1.8,
  "page of 100 by tag": 1.8,
  create: 1.1,
  update: 1.1,
  order: 1.1,
  login: 1.3,
};

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "0.8" },
    connections: { type: "string", default: "1,8,32" },
  },
});
const rounds = Number(options.rounds);
const milliseconds = Number(options.seconds) * 1000;
const connectionCounts = options.connections.split(",").map(Number);

type All = Readonly<Record<Contestant, Served>>;

/** A load, with the CPU time that workerd took for one of its requests, in microseconds. */
type Loaded = Load & { readonly cpu: number };

/** The loads of one workload by one number of connections, one a round. */
interface Cell {
  readonly workload: Workload;
  readonly connections: number;
  readonly loads: Readonly<Record<Contestant | "own", Loaded[]>>;
}

const fixed = (number: number, digits = 2) => number.toFixed(digits);

/** The median of the ratios that rounds of two series have. */
const ratio = (ours: readonly number[], floor: readonly number[]): number =>
  median(ours.map((number, round) => number / (floor[round] ?? Number.NaN)));

/** The geometric mean of some ratios, and their range. */
function spread(all: readonly number[]): string {
  const mean = Math.exp(all.reduce((sum, one) => sum + Math.log(one), 0) / all.length);
  return `${fixed(mean)}; ${fixed(Math.min(...all))} to ${fixed(Math.max(...all))}`;
}

/** Headers that are different with every answer. */
const VOLATILE = /^(?:etag|x-request-id|x-d1-bookmark|set-cookie|x-expires-after|date)$/;

/** The parts of an answer that are not random. */
async function content(answer: Response): Promise<string> {
  const headers = [...answer.headers]
    .map(([name, value]) => (VOLATILE.test(name) ? name : `${name}: ${value}`))
    .toSorted();
  const body = (await answer.text()).replace(/session:[\w-]+/, "session:");
  return JSON.stringify({ status: answer.status, headers, body });
}

/** Checks that the floor answers exactly like the service. */
async function compare(served: All): Promise<void> {
  for (const workload of WORKLOADS) {
    const asked = workload.request(1, PETS);
    const floor = await content(await ask(served.floor.port, asked));
    const ours = await content(await ask(served.ours.port, asked));
    if (floor !== ours) throw new Error(`${workload.name}\nfloor: ${floor}\nours:  ${ours}`);
  }
}

/** Runs `use` with every contestant served. */
async function withAll<T>(
  module: "isolated" | "local",
  use: (served: All) => Promise<T>,
): Promise<T> {
  const started: Served[] = [];
  const start = async (contestant: Contestant) => {
    const served = await serve(contestant === "ours" ? scripts.ours : scripts.floor, {
      sql,
      harness: harness(module),
      ownStores: contestant === "ours" && module === "local",
    });
    started.push(served);
    await fill(served.db, module === "isolated" ? 1000 : PETS);
    return served;
  };
  try {
    return await use({
      floor: await start("floor"),
      ours: await start("ours"),
      control: await start("control"),
    });
  } finally {
    for (const served of started) await served.stop();
  }
}

async function throughput(served: All): Promise<Cell[]> {
  const cells = WORKLOADS.flatMap((workload) =>
    connectionCounts.map((connections): Cell => {
      return { workload, connections, loads: { floor: [], ours: [], control: [], own: [] } };
    }),
  );
  let number = 0;
  // Round 0 warms up, and is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (const [done, { workload, connections, loads }] of cells.entries()) {
      progress(round * cells.length + done, (rounds + 1) * cells.length, workload.name);
      const own = await fillOwnStore(served.ours, OWN_STORE, OWN_PETS);
      const first = number;
      const measure = async (
        contestant: keyof Cell["loads"],
        { pid, port }: Served,
        request: (at: number) => Asked,
      ) => {
        // Each contestant gets the same requests in the same order.
        let at = first;
        const before = cpuTime(pid);
        const measured = await load({
          port,
          connections,
          milliseconds: round === 0 ? milliseconds / 3 : milliseconds,
          next: () => request(++at),
        });
        const cpu = (cpuTime(pid) - before) / 1000 / (at - first);
        const { refused } = measured;
        if (refused > 0) throw new Error(`${workload.name}: ${contestant} refused ${refused}`);
        if (round > 0) loads[contestant].push({ ...measured, cpu });
        number = Math.max(number, at);
      };
      for (const contestant of CONTESTANTS) {
        await measure(contestant, served[contestant], (at) => workload.request(at, PETS));
      }
      await measure("own", served.ours, (at) => {
        const asked = workload.request(at, OWN_PETS);
        return { ...asked, path: asked.path.replace("/v2", own) };
      });
    }
  }
  return cells;
}

/** Calls per measurement; a page takes about three times as long as the others. */
const calls = ({ name }: Workload) => (name.startsWith("page") ? 1000 : 3000);

async function isolated(served: All) {
  const samples = await sampleRows(served.floor.db, sql);
  const measured: { name: string; times: Record<Contestant, number[]> }[] = [];
  for (const workload of WORKLOADS) {
    progress(measured.length, WORKLOADS.length, `CPU in isolation: ${workload.name}`);
    const trial = { rows: samples.get(workload.name) ?? [], count: calls(workload), sql };
    const times: Record<Contestant, number[]> = { floor: [], ours: [], control: [] };
    for (let round = 0; round <= rounds; round++) {
      for (const contestant of CONTESTANTS) {
        const asked = { ...workload.request(7, 1000), expected: 200 };
        const { microseconds } = await isolate(served[contestant], asked, trial);
        if (round > 0) times[contestant].push(microseconds);
      }
    }
    measured.push({ name: workload.name, times });
  }
  return measured;
}

const sql = await statementsOfService();
const scripts = { floor: build("floor"), ours: build("ours") };

const cpu = await withAll("isolated", isolated);
const cells = await withAll("local", async (served) => {
  await compare(served);
  return throughput(served);
});
const startUp = await startUpCpu(scripts.ours, sql, rounds);

const misses: string[] = [];
/** A number as a cell of a table, which says so if the number misses its target. */
const judge = (shown: string, held: boolean, what: string) => {
  if (held) return shown;
  misses.push(`${what}: ${shown}`);
  return `${shown}, missed`;
};
const rate = (loads: readonly Loaded[]) => loads.map((one) => one.requestsPerSecond);
const times = (loads: readonly Loaded[]) => loads.map((one) => one.cpu);
const latency = (loads: readonly Loaded[]) =>
  `${fixed(median(loads.map(({ p50 }) => p50)))} / ${fixed(median(loads.map(({ p99 }) => p99)))}`;

const ratios: Record<"ours" | "control", number[]> = { ours: [], control: [] };
const throughputRows = cells.map(({ workload: { name }, connections, loads }) => {
  const { floor, ours, control, own } = loads;
  const where = `${name} at ${connections}`;
  const toFloor = ratio(rate(ours), rate(floor));
  const toItself = ratio(rate(control), rate(floor));
  ratios.ours.push(toFloor);
  ratios.control.push(toItself);
  const ownToFloor = ratio(rate(own), rate(floor));
  const ownTarget = connections >= 8 ? (OWN_TARGETS[name] ?? 0) : 0;
  return [
    name,
    String(connections),
    fixed(median(rate(floor)), 0),
    fixed(median(rate(ours)), 0),
    judge(fixed(toFloor), toFloor >= TARGETS.throughput, `throughput, ${where}`),
    fixed(toItself),
    latency(ours),
    fixed(ratio(times(ours), times(floor))),
    fixed(median(rate(own)), 0),
    judge(fixed(ownToFloor), ownToFloor >= ownTarget, `sandbox, ${where}, target ${ownTarget}`),
    latency(own),
  ];
});

const cpuRows = cpu.map(({ name, times: { floor, ours, control } }) => {
  const toFloor = ratio(ours, floor);
  return [
    name,
    fixed(median(floor), 1),
    fixed(median(ours), 1),
    judge(fixed(toFloor), toFloor <= TARGETS.cpu, `CPU in isolation, ${name}`),
    fixed(ratio(control, floor)),
  ];
});

const { bytes, gzipped } = sizeOf(scripts.ours);

const shownBytes = judge(`${gzipped} gzipped`, gzipped <= TARGETS.gzipped, "bytes of the bundle");
const shownStart = judge(`${fixed(startUp, 1)} ms`, startUp <= TARGETS.startUp, "CPU of the start");
const ownTargets = Object.entries(OWN_TARGETS).map(([name, target]) => `${name} ${target}`);

publish(
  "bench",
  `Measured ${environment()} ${rounds} rounds of ${options.seconds} s a cell, ${PETS} pets.

### Throughput

Requests a second over loopback, medians. Ratios are medians of the rounds' ratios. Target: at least ${TARGETS.throughput} of the
floor. Latencies are p50 / p99 in milliseconds. CPU is what workerd takes for a request under this load, D1 included.
The sandbox has ${OWN_PETS} pets. Its targets, beside the floor on D1 and from 8 connections: ${ownTargets.join(", ")}.

${table(["workload", "connections", "floor", "ours", "ours / floor", "floor / itself", "latency of ours", "CPU, ours / floor", "sandbox", "sandbox / floor", "latency of sandbox"], throughputRows)}

Over all cells (geometric mean; range): ours / floor ${spread(ratios.ours)}, the floor beside itself ${spread(ratios.control)}.

### CPU in isolation

Microseconds of CPU for one request, target at most ${TARGETS.cpu} times the floor.

${table(["workload", "floor", "ours", "ours / floor", "floor / itself"], cpuRows)}

### Size and start

The bundle has ${bytes} bytes; ${shownBytes}, target ${TARGETS.gzipped}. CPU of its start: ${shownStart}, target ${TARGETS.startUp} ms.`,
  misses,
);
