// `npm run bench`: the service beside a hand-written floor, a tutorial's Worker and Prism.
// Options: --rounds 5 --seconds 0.8 --connections 1,8,32
import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../e2e/server.ts";
import { ROOT } from "../scripts/programs.ts";
import { build, sizeOf } from "./contestants.ts";
import type { Contestant } from "./contestants.ts";
import { load } from "./load.ts";
import type { Load } from "./load.ts";
import {
  ask,
  cpuInIsolation,
  harness,
  readMeter,
  sampleRows,
  startUpCpu,
  timeOfStart,
} from "./measure.ts";
import type { Meter } from "./metered.ts";
import { cpuTime } from "../e2e/processes.ts";
import { environment, median, progress, publish, table } from "./report.ts";
import { fill, fillOwnStore, migrate, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import { WORKLOADS } from "./workloads.ts";
import type { Workload } from "./workloads.ts";

const PETS = 10_000;
/** The control is a second floor. The difference between the two is the noise of the measurement. */
const CONTESTANTS = ["floor", "ours", "naive", "control"] as const;
const TARGETS = { throughput: 0.95, cpu: 1.6, gzipped: 52_000, startUp: 4.5, start: 3 };

const OWN_STORE = "00000000-bench-0001";
/**
 * The number of pets with which a store of one's own begins each round. It has room for 10 MB, and a round adds
 * thousands.
 */
const OWN_PETS = 1000;
/** Targets: the throughput of a store of one's own in multiples of the floor's, at 8 connections and more. */
const OWN_TARGETS: Readonly<Record<string, number>> = {
  "get a pet": 3,
  inventory: 3,
  "page of 100 by status": 1.5,
  "page of 100 by tag": 1.5,
  create: 1.1,
  update: 1.1,
  order: 1.1,
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

const has = (contestant: Contestant, { naive }: Workload) => contestant !== "naive" || naive;
const fixed = (number: number, digits = 2) => number.toFixed(digits);

/** A series per cell, by a key of its names. */
class Series<Item> {
  readonly #items = new Map<string, Item[]>();

  add(key: readonly unknown[], item: Item): void {
    const name = key.join("/");
    const items = this.#items.get(name) ?? [];
    items.push(item);
    this.#items.set(name, items);
  }

  of(...key: readonly unknown[]): readonly Item[] {
    return this.#items.get(key.join("/")) ?? [];
  }
}

/** The median of the ratios that rounds of two series have. */
function ratio(ours: readonly number[], floor: readonly number[]): number {
  return median(ours.map((number, round) => number / (floor[round] ?? Number.NaN)));
}

/** The geometric mean of some ratios, and their range. */
function spread(all: readonly number[]): string {
  const mean = Math.exp(all.reduce((sum, one) => sum + Math.log(one), 0) / all.length);
  return `${fixed(mean)}; ${fixed(Math.min(...all))} to ${fixed(Math.max(...all))}`;
}

/** A load, with the CPU time that workerd took for one of its requests, in microseconds. */
interface Loaded extends Load {
  readonly cpu: number;
}

/** Headers that are different with every answer. */
const VOLATILE = new Set([
  "etag",
  "x-request-id",
  "x-d1-bookmark",
  "set-cookie",
  "x-expires-after",
  "date",
]);

/** The parts of an answer that are not random. */
async function content(answer: Response): Promise<string> {
  const headers = [...answer.headers]
    .map(([name, value]) => (VOLATILE.has(name) ? name : `${name}: ${value}`))
    .toSorted();
  const body = (await answer.text()).replace(/session:[\w-]+/, "session:");
  return JSON.stringify({ status: answer.status, headers, body });
}

/** Checks that the floor answers exactly like the service. */
async function compare(served: Readonly<Record<Contestant, Served>>): Promise<void> {
  for (const workload of WORKLOADS) {
    const asked = workload.request(1, PETS);
    const floor = await content(await ask(served.floor.port, asked));
    const ours = await content(await ask(served.ours.port, asked));
    if (floor !== ours) throw new Error(`${workload.name}\nfloor: ${floor}\nours:  ${ours}`);
    if (workload.naive) {
      const { status } = await ask(served.naive.port, asked);
      if (status !== 200) throw new Error(`${workload.name}: naive answers ${status}`);
    }
  }
}

/** Runs `use` with every contestant served. */
async function withAll<T>(
  scripts: Readonly<Record<Contestant, string>>,
  module: "isolated" | "local" | "metered",
  use: (served: Readonly<Record<Contestant, Served>>) => Promise<T>,
): Promise<T> {
  const started: Served[] = [];
  const start = async (contestant: Contestant) => {
    const served = await serve(scripts[contestant], {
      sql,
      harness: harness(module),
      ownStores: contestant === "ours" && module === "local",
    });
    started.push(served);
    await migrate(served.db);
    await fill(served.db, module === "isolated" ? 1000 : PETS);
    return served;
  };
  try {
    const served = {
      floor: await start("floor"),
      ours: await start("ours"),
      naive: await start("naive"),
      control: await start("control"),
    };
    return await use(served);
  } finally {
    for (const served of started) await served.stop();
  }
}

async function throughput(served: Readonly<Record<Contestant, Served>>): Promise<Series<Loaded>> {
  const loads = new Series<Loaded>();
  const prismPort = await freePort();
  const prism = spawn(
    process.execPath,
    [
      join(ROOT, "bench/node_modules/@stoplight/prism-cli/dist/index.js"),
      "mock",
      "-p",
      String(prismPort),
      "openapi.json",
    ],
    { cwd: ROOT, stdio: "ignore" },
  );
  try {
    await sleep(5000);
    const prismServes = await fetch(`http://127.0.0.1:${prismPort}/pet/1`).then(
      ({ ok }) => ok,
      () => false,
    );
    let number = 0;
    const total = (rounds + 1) * WORKLOADS.length * connectionCounts.length;
    let done = 0;
    // Round 0 warms up, and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const workload of WORKLOADS) {
        const ownBase = await fillOwnStore(served.ours, OWN_STORE, OWN_PETS);
        for (const connections of connectionCounts) {
          progress(
            done++,
            total,
            `round ${round} of ${rounds}: ${workload.name}, ${connections} connections`,
          );
          const first = number;
          const of = { connections, milliseconds: round === 0 ? milliseconds / 3 : milliseconds };
          for (const contestant of CONTESTANTS) {
            if (!has(contestant, workload)) continue;
            // Each contestant gets the same requests in the same order.
            let at = first;
            const next = () => workload.request(++at, PETS);
            const { pid, port } = served[contestant];
            const before = cpuTime(pid);
            const measured = await load({ ...of, port, next });
            const cpu = (cpuTime(pid) - before) / 1000 / (at - first);
            if (measured.refused > 0) {
              throw new Error(`${workload.name}: ${contestant} refused ${measured.refused}`);
            }
            if (round > 0) {
              loads.add([workload.name, connections, contestant], { ...measured, cpu });
            }
            number = Math.max(number, at);
          }
          const ownNext = () => {
            const asked = workload.request(++number, OWN_PETS);
            return { ...asked, path: asked.path.replace("/v2", ownBase) };
          };
          const own = await load({ ...of, port: served.ours.port, next: ownNext });
          if (own.refused > 0) throw new Error(`${workload.name}: refused ${own.refused}`);
          if (round > 0) {
            loads.add([workload.name, connections, "own"], { ...own, cpu: Number.NaN });
          }
          if (prismServes && connections === 8) {
            const next = () => {
              const asked = workload.request(1, PETS);
              return { ...asked, path: asked.path.replace("/v2", "") };
            };
            const measured = await load({ ...of, port: prismPort, next });
            if (round > 0 && measured.refused === 0) {
              loads.add([workload.name, connections, "prism"], { ...measured, cpu: Number.NaN });
            }
          }
        }
      }
    }
    progress(total, total, "throughput");
    return loads;
  } finally {
    prism.kill();
  }
}

/** Calls per measurement; a page takes about three times as long as the others. */
const calls = ({ name }: Workload) => (name.startsWith("page") ? 1000 : 3000);

async function isolated(served: Readonly<Record<Contestant, Served>>): Promise<Series<number>> {
  const times = new Series<number>();
  const samples = await sampleRows(served.floor.db, sql);
  const total = WORKLOADS.length * (rounds + 1);
  let done = 0;
  for (const workload of WORKLOADS) {
    const rows = samples.get(workload.name) ?? [];
    for (let round = 0; round <= rounds; round++) {
      progress(done++, total, `CPU in isolation: ${workload.name}`);
      for (const contestant of CONTESTANTS) {
        if (!has(contestant, workload)) continue;
        const trial = { rows, count: calls(workload), sql };
        const time = await cpuInIsolation(served[contestant], workload, trial);
        if (round > 0) times.add([workload.name, contestant], time);
      }
    }
  }
  progress(total, total, "CPU in isolation");
  return times;
}

const METERED = 20;

async function metered(served: Readonly<Record<Contestant, Served>>): Promise<Series<Meter>> {
  const meters = new Series<Meter>();
  for (const workload of WORKLOADS) {
    for (const contestant of CONTESTANTS) {
      if (!has(contestant, workload)) continue;
      const { port } = served[contestant];
      await readMeter(port);
      for (let number = 1; number <= METERED; number++) {
        await (await ask(port, workload.request(number, PETS))).arrayBuffer();
      }
      meters.add([workload.name, contestant], await readMeter(port));
    }
  }
  return meters;
}

const sql = await statementsOfService();
const scripts = { floor: build("floor"), ours: build("ours"), naive: build("naive") };
const contestants = { ...scripts, control: scripts.floor };
const bare = build("bare");

const times = await withAll(contestants, "isolated", isolated);
const meters = await withAll(contestants, "metered", metered);
const loads = await withAll(contestants, "local", async (served) => {
  await compare(served);
  return throughput(served);
});
const startUp = {
  ours: await startUpCpu(scripts.ours, sql, rounds),
  floor: await startUpCpu(scripts.floor, sql, rounds),
  bare: await startUpCpu(bare, sql, rounds),
};
const starts: number[] = [];
for (let time = 0; time < 3; time++) {
  progress(time, 3, "npm start");
  starts.push(await timeOfStart());
}
progress(3, 3, "npm start");

const misses: string[] = [];
/** A number as a cell of a table, which says so if the number misses its target. */
const judge = (shown: string, held: boolean, what: string) => {
  if (held) return shown;
  misses.push(`${what}: ${shown}`);
  return `${shown}, missed`;
};

const ratios: Record<"ours" | "control", number[]> = { ours: [], control: [] };
const throughputRows = WORKLOADS.flatMap(({ name }) =>
  connectionCounts.map((connections) => {
    const of = (contestant: string) => loads.of(name, connections, contestant);
    const rate = (contestant: string) => of(contestant).map((one) => one.requestsPerSecond);
    const shown = (contestant: string) =>
      of(contestant).length === 0 ? "" : fixed(median(rate(contestant)), 0);
    const latency = (contestant: string) =>
      `${fixed(median(of(contestant).map(({ p50 }) => p50)))} / ${fixed(median(of(contestant).map(({ p99 }) => p99)))}`;
    const cpu = (contestant: string) => of(contestant).map((one) => one.cpu);
    const where = `${name} at ${connections}`;
    const toFloor = ratio(rate("ours"), rate("floor"));
    const beside = ratio(rate("control"), rate("floor"));
    ratios.ours.push(toFloor);
    ratios.control.push(beside);
    const ownToFloor = ratio(rate("own"), rate("floor"));
    const ownTarget = connections >= 8 ? (OWN_TARGETS[name] ?? 0) : 0;
    return [
      name,
      String(connections),
      shown("floor"),
      shown("ours"),
      judge(fixed(toFloor), toFloor >= TARGETS.throughput, `throughput, ${where}`),
      fixed(beside),
      latency("ours"),
      fixed(ratio(cpu("ours"), cpu("floor"))),
      shown("own"),
      judge(fixed(ownToFloor), ownToFloor >= ownTarget, `sandbox, ${where}, target ${ownTarget}`),
      latency("own"),
      shown("naive"),
      shown("prism"),
    ];
  }),
);

const cpuRows = WORKLOADS.map(({ name, naive }) => {
  const of = (contestant: Contestant) => times.of(name, contestant);
  const toFloor = ratio(of("ours"), of("floor"));
  return [
    name,
    fixed(median(of("floor")), 1),
    fixed(median(of("ours")), 1),
    judge(fixed(toFloor), toFloor <= TARGETS.cpu, `CPU in isolation, ${name}`),
    fixed(ratio(of("control"), of("floor"))),
    naive ? fixed(median(of("naive")), 1) : "",
    naive ? fixed(ratio(of("naive"), of("floor"))) : "",
  ];
});

const meterRows = WORKLOADS.map(({ name }) => {
  const of = (contestant: Contestant) => {
    const [meter] = meters.of(name, contestant);
    if (!meter) return "";
    const { roundTrips, rowsRead, rowsWritten } = meter;
    return [roundTrips, rowsRead, rowsWritten]
      .map((sum) => Number((sum / METERED).toFixed(1)))
      .join(" / ");
  };
  return [name, of("floor"), of("ours"), of("naive")];
});

const sizes = { ...scripts, bare };
const sizeRows = (["ours", "floor", "naive", "bare"] as const).map((bundle) => {
  const { bytes, gzipped } = sizeOf(sizes[bundle]);
  const cpu = bundle === "naive" ? "" : fixed(startUp[bundle], 1);
  const isOurs = bundle === "ours";
  return [
    bundle === "bare" ? "bare Hono" : bundle,
    String(bytes),
    judge(String(gzipped), !isOurs || gzipped <= TARGETS.gzipped, "bytes gzipped"),
    judge(cpu, !isOurs || startUp.ours <= TARGETS.startUp, "ms of CPU to start"),
  ];
});

const start = median(starts);
const shownStart = judge(`${fixed(start, 1)} s`, start <= TARGETS.start, "npm start");

publish(
  "bench",
  `Measured ${environment()} ${rounds} rounds of ${options.seconds} s a cell, ${PETS} pets.

### Throughput

Requests a second over loopback, medians. Ratios are medians of the rounds' ratios. Target: at least ${TARGETS.throughput} of the
floor. Latencies are p50 / p99 in milliseconds. CPU is what workerd takes for a request under this load, D1 included.
The sandbox has ${OWN_PETS} pets. Its targets, beside the floor on D1 and from 8 connections: ${Object.entries(
    OWN_TARGETS,
  )
    .map(([name, target]) => `${name} ${target}`)
    .join(", ")}.

${table(["workload", "connections", "floor", "ours", "ours / floor", "floor / itself", "latency of ours", "CPU, ours / floor", "sandbox", "sandbox / floor", "latency of sandbox", "naive", "Prism"], throughputRows)}

Over all cells (geometric mean; range): ours / floor ${spread(ratios.ours)}, the floor beside itself ${spread(ratios.control)}.

### CPU in isolation

Microseconds of CPU for one request, target at most ${TARGETS.cpu} times the floor.

${table(["workload", "floor", "ours", "ours / floor", "floor / itself", "naive", "naive / floor"], cpuRows)}

### Calls to D1

Round trips / rows read / rows written for one request, by D1's own figures, mean of ${METERED}.

${table(["workload", "floor", "ours", "naive"], meterRows)}

### Size and start

Targets: at most ${TARGETS.gzipped} bytes gzipped, and ${TARGETS.startUp} ms of CPU to start.

${table(["bundle", "bytes", "gzipped", "start-up CPU (ms)"], sizeRows)}

\`npm start\` in a fresh copy with its dependencies serves after ${shownStart}; target ${TARGETS.start} s.`,
  misses,
);
