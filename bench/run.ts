// `npm run bench`: the service beside a hand-written floor.
// Options: --rounds 5 --seconds 0.8 --connections 1,8,32
import { build, gzippedSize } from "./contestants.ts";
import { load } from "./load.ts";
import type { Load } from "./load.ts";
import { ask, harness, isolate, sampleRows, startUpCpu } from "./measure.ts";
import { environment, mean, median, optionsOf, progress, publish, ratio, table } from "./report.ts";
import { fill, fillSandbox, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import { WORKLOADS } from "./workloads.ts";
import type { Asked, Kind, Workload } from "./workloads.ts";

const PETS = 10_000;
/** The control is a second floor: the difference between the two floors is noise. */
const CONTESTANTS = ["floor", "ours", "control"] as const;
type Contestant = (typeof CONTESTANTS)[number];

const SANDBOX = "00000000-bench-0001";
/** Pets in the sandbox when a round starts. A sandbox has room for 10 MB, and a round adds thousands of pets. */
const SANDBOX_PETS = 1000;

const options = optionsOf({ rounds: "5", seconds: "0.8", connections: "1,8,32" });
const rounds = Number(options.rounds);
const milliseconds = Number(options.seconds) * 1000;
const connectionCounts = options.connections.split(",").map(Number);

type All = Readonly<Record<Contestant, Served>>;

/** The loads of one workload over one number of connections, one for each round. */
interface Cell {
  readonly workload: Workload;
  readonly connections: number;
  readonly loads: Readonly<Record<Contestant | "sandbox", Load[]>>;
}

const fixed = (number: number, digits = 2) => number.toFixed(digits);

/** Headers whose values differ in every answer. */
const VOLATILE = /^(?:etag|x-request-id|x-d1-bookmark|set-cookie|x-expires-after|date)$/;

/** The parts of an answer that do not vary between runs. */
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

/** Serves every contestant while `use` runs. */
async function withAll<T>(
  module: "isolated" | "local",
  use: (served: All) => Promise<T>,
): Promise<T> {
  const started: Served[] = [];
  const start = async (contestant: Contestant) => {
    const served = await serve(contestant === "ours" ? scripts.ours : scripts.floor, {
      sql,
      harness: harness(module),
      sandboxes: contestant === "ours" && module === "local",
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
      return { workload, connections, loads: { floor: [], ours: [], control: [], sandbox: [] } };
    }),
  );
  let number = 0;
  // Round 0 is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const [done, { workload, connections, loads }] of cells.entries()) {
      progress(round * cells.length + done, (rounds + 1) * cells.length, workload.name);
      const sandbox = await fillSandbox(served.ours, SANDBOX, SANDBOX_PETS);
      const first = number;
      const measure = async (
        contestant: keyof Cell["loads"],
        { port }: Served,
        request: (at: number) => Asked,
      ) => {
        // Each contestant gets the same requests in the same order.
        let at = first;
        const measured = await load({
          port,
          connections,
          milliseconds: round === 0 ? milliseconds / 3 : milliseconds,
          next: () => request(++at),
        });
        const { refused } = measured;
        if (refused > 0) throw new Error(`${workload.name}: ${contestant} refused ${refused}`);
        if (round > 0) loads[contestant].push(measured);
        number = Math.max(number, at);
      };
      for (const contestant of CONTESTANTS) {
        await measure(contestant, served[contestant], (at) => workload.request(at, PETS));
      }
      await measure("sandbox", served.ours, (at) => {
        const asked = workload.request(at, SANDBOX_PETS);
        return { ...asked, path: asked.path.replace("/v2", sandbox) };
      });
    }
  }
  return cells;
}

/** Calls per measurement. A page takes about three times as long as the others. */
const calls = ({ kind }: Workload) => (kind === "pages" ? 1000 : 3000);

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
        const microseconds = await isolate(served[contestant], asked, trial);
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

const rate = (loads: readonly Load[]) => loads.map((one) => one.requestsPerSecond);
const ratios = cells.map(({ workload, connections, loads: { floor, ours, control, sandbox } }) => {
  const toFloor = (others: readonly Load[]) => ratio(rate(others), rate(floor));
  return {
    workload,
    connections,
    ours: toFloor(ours),
    control: toFloor(control),
    sandbox: toFloor(sandbox),
  };
});

/** The mean of the sandbox beside the floor, over the cells of these workloads from 8 connections. */
const sandboxMean = (isWanted: (workload: Workload) => boolean) =>
  mean(
    ratios
      .filter(({ workload, connections }) => isWanted(workload) && connections >= 8)
      .map(({ sandbox }) => sandbox),
  );
const sandboxMeanOf = (wanted: Kind) => sandboxMean(({ kind }) => kind === wanted);

const throughputRows = WORKLOADS.map((workload) => {
  const ofWorkload = cells.filter((cell) => cell.workload === workload);
  const [fewest, most] = [ofWorkload[0]?.loads, ofWorkload.at(-1)?.loads];
  const means = ratios.filter((one) => one.workload === workload);
  const requests = (who: keyof Cell["loads"]) => fixed(median(rate(most?.[who] ?? [])), 0);
  const latency = (who: keyof Cell["loads"]) => {
    const loads = fewest?.[who] ?? [];
    const percentiles = [loads.map(({ p50 }) => p50), loads.map(({ p99 }) => p99)];
    return percentiles.map((one) => fixed(median(one))).join(" / ");
  };
  return [
    workload.name,
    requests("floor"),
    requests("ours"),
    requests("sandbox"),
    fixed(mean(means.map(({ ours }) => ours))),
    fixed(mean(means.map(({ control }) => control))),
    fixed(sandboxMean((one) => one === workload)),
    latency("ours"),
    latency("sandbox"),
  ];
});

const cpuRows = cpu.map(({ name, times: { floor, ours, control } }) => [
  name,
  fixed(median(floor), 1),
  fixed(median(ours), 1),
  fixed(ratio(ours, floor)),
  fixed(ratio(control, floor)),
]);

publish(
  "bench",
  `Measured ${environment()} ${rounds} rounds of ${options.seconds} s a cell, ${PETS} pets.

### Throughput

Requests a second over loopback with ${connectionCounts.at(-1)} connections; latencies are p50 / p99 in milliseconds with ${connectionCounts[0]}. Ratios are means
over ${connectionCounts.join(", ")} connections, those of the sandbox from 8. The sandbox has ${SANDBOX_PETS} pets; the others use D1.

${table(["workload", "floor", "ours", "sandbox", "ours / floor", "floor / itself", "sandbox / floor", "latency of ours", "of the sandbox"], throughputRows)}

### CPU in isolation

Microseconds of CPU for one request.

${table(["workload", "floor", "ours", "ours / floor", "floor / itself"], cpuRows)}`,
  {
    throughput: mean(ratios.map(({ ours }) => ours)),
    noise: mean(ratios.map(({ control }) => control)),
    reads: sandboxMeanOf("reads"),
    pages: sandboxMeanOf("pages"),
    writes: sandboxMeanOf("writes"),
    logins: sandboxMeanOf("logins"),
    isolated: mean(cpu.map(({ times: { floor, ours } }) => ratio(ours, floor))),
    start: startUp,
    bundle: gzippedSize(scripts.ours),
  },
);
