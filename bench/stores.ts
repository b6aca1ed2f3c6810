// Stores of one's own: how the number of stores in use affects each store, how much memory they take, and how long a
// reset takes. `npm run bench:scale` runs this last. Options: --stores 1000 --rounds 5 --seconds 2
import { parseArgs } from "node:util";
import { build } from "./contestants.ts";
import { load } from "./load.ts";
import { ask, harness } from "./measure.ts";
import { residentMemory } from "../e2e/processes.ts";
import { environment, median, progress, publish, table } from "./report.ts";
import { fillOwnStore, serve } from "./serve.ts";
import { statementsOfService } from "./sql.ts";

const PETS = 100;
const TARGETS = { growth: 1.5, resetMs: 10 };
const RESETS = 200;

const { values: options } = parseArgs({
  options: {
    stores: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
  },
});
const many = Number(options.stores);
const rounds = Number(options.rounds);
const milliseconds = Number(options.seconds) * 1000;

const nameOf = (number: number) => `bench-store-${String(number).padStart(8, "0")}`;

const served = await serve(build("ours"), {
  sql: await statementsOfService(),
  harness: harness("local"),
  ownStores: true,
});
try {
  const misses: string[] = [];
  const judge = (held: boolean, text: string) => {
    if (!held) misses.push(text);
    return held ? "met" : "missed";
  };

  const reset = async (name: string, data: string): Promise<number> => {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${served.port}/stores/${name}/data`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ data }),
    });
    await answer.arrayBuffer();
    if (answer.status !== 204) throw new Error(`a reset was answered ${answer.status}`);
    return performance.now() - began;
  };
  const resetRows: string[][] = [];
  for (const data of ["empty", "classic"]) {
    const times: number[] = [];
    for (let done = 0; done < RESETS; done++) {
      // A store that tests used: it holds the classic data.
      await reset(nameOf(0), "classic");
      times.push(await reset(nameOf(0), data));
    }
    const p50 = median(times);
    const shown = p50.toFixed(1);
    resetRows.push([data, shown, judge(p50 < TARGETS.resetMs, `reset, ${data}: p50 ${shown} ms`)]);
  }

  const p50s: Record<"one" | "many", number[]> = { one: [], many: [] };
  const measure = async (kind: "one" | "many", stores: number) => {
    let number = 0;
    const next = () => {
      number++;
      const id = ((number * 7919) % PETS) + 1;
      return { method: "GET", path: `/stores/${nameOf(number % stores)}/v2/pet/${id}` } as const;
    };
    // Each store is in use before it is measured.
    for (let asked = 0; asked < stores; asked++)
      await (await ask(served.port, next())).arrayBuffer();
    const measured = await load({ port: served.port, connections: 1, milliseconds, next });
    if (measured.refused > 0) throw new Error(`${measured.refused} requests were refused`);
    p50s[kind].push(measured.p50);
  };

  await fillOwnStore(served, nameOf(0), PETS);
  await measure("one", 1);
  const memoryOfOne = residentMemory(served.pid) / 2 ** 20;
  for (let number = 0; number < many; number++) {
    if (number % 50 === 0) progress(number, many, `making ${many} stores`);
    await fillOwnStore(served, nameOf(number), PETS);
  }
  progress(many, many, "stores");
  p50s.one = [];
  for (let round = 0; round < rounds; round++) {
    progress(round, rounds, `one store, then ${many}`);
    await measure("one", 1);
    await measure("many", many);
  }
  progress(rounds, rounds, "rounds");
  const memoryOfMany = residentMemory(served.pid) / 2 ** 20;
  const growth = median(p50s.many.map((p50, round) => p50 / (p50s.one[round] ?? Number.NaN)));
  const verdict = judge(
    growth <= TARGETS.growth,
    `get a pet with ${many} stores: ${growth.toFixed(2)} times that with one`,
  );

  publish(
    "stores",
    `Measured ${environment()} ${rounds} rounds of ${options.seconds} s, one connection.

${many} sandboxes with ${PETS} pets each, all in use: every request goes to the next one. Target: p50 at most
${TARGETS.growth} times that with one store.

${table(
  ["stores in use", "get a pet, p50 (ms)", "ratio", "target", "memory of workerd (MB)"],
  [
    ["1", median(p50s.one).toFixed(2), "", "", memoryOfOne.toFixed(0)],
    [
      String(many),
      median(p50s.many).toFixed(2),
      growth.toFixed(2),
      verdict,
      memoryOfMany.toFixed(0),
    ],
  ],
)}

A reset, \`PUT /stores/{store}/data\`, of a store that holds the classic data; target: p50 below ${TARGETS.resetMs} ms.

${table(["to", "p50 (ms)", "target"], resetRows)}`,
    misses,
  );
} finally {
  await served.stop();
}
