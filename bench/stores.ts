// `npm run bench:stores`: latency and memory by the number of sandboxes in use, and the time of a reset.
// Options: --stores 1000 --rounds 5 --seconds 2
import { build } from "./contestants.ts";
import { load } from "./load.ts";
import { ask, harness } from "./measure.ts";
import { residentMemory } from "../e2e/processes.ts";
import { environment, median, optionsOf, progress, publish, ratio, table } from "./report.ts";
import { fillSandbox, serve } from "./serve.ts";
import { statementsOfService } from "./sql.ts";

const PETS = 100;
const RESETS = 200;

const options = optionsOf({ stores: "1000", rounds: "5", seconds: "2" });
const many = Number(options.stores);
const rounds = Number(options.rounds);
const milliseconds = Number(options.seconds) * 1000;

const nameOf = (number: number) => `bench-store-${String(number).padStart(8, "0")}`;

const served = await serve(build("ours"), {
  sql: await statementsOfService(),
  harness: harness("local"),
  sandboxes: true,
});
try {
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
  const resets: { readonly data: string; readonly p50: number }[] = [];
  for (const data of ["empty", "classic"]) {
    const times: number[] = [];
    for (let done = 0; done < RESETS; done++) {
      // As after a test: the sandbox has data.
      await reset(nameOf(0), "classic");
      times.push(await reset(nameOf(0), data));
    }
    resets.push({ data, p50: median(times) });
  }

  const p50s: Record<"one" | "many", number[]> = { one: [], many: [] };
  const measure = async (kind: "one" | "many", stores: number) => {
    let number = 0;
    const next = () => {
      number++;
      const id = ((number * 7919) % PETS) + 1;
      return { method: "GET", path: `/stores/${nameOf(number % stores)}/v2/pet/${id}` } as const;
    };
    // Puts each sandbox into memory first.
    for (let asked = 0; asked < stores; asked++)
      await (await ask(served.port, next())).arrayBuffer();
    const measured = await load({ port: served.port, connections: 1, milliseconds, next });
    if (measured.refused > 0) throw new Error(`${measured.refused} requests were refused`);
    p50s[kind].push(measured.p50);
  };

  await fillSandbox(served, nameOf(0), PETS);
  await measure("one", 1);
  const memoryOfOne = residentMemory(served.pid) / 2 ** 20;
  for (let number = 0; number < many; number++) {
    if (number % 50 === 0) progress(number, many, `making ${many} stores`);
    await fillSandbox(served, nameOf(number), PETS);
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

  publish(
    "stores",
    `Measured ${environment()} ${rounds} rounds of ${options.seconds} s, one connection.

${many} sandboxes with ${PETS} pets each, all in use: every request goes to the next one.

${table(
  ["sandboxes in use", "get a pet, p50 (ms)", "ratio", "memory of workerd (MB)"],
  [
    ["1", median(p50s.one).toFixed(2), "", memoryOfOne.toFixed(0)],
    [
      String(many),
      median(p50s.many).toFixed(2),
      ratio(p50s.many, p50s.one).toFixed(2),
      memoryOfMany.toFixed(0),
    ],
  ],
)}

A reset, \`PUT /stores/{store}/data\`, of a sandbox with the classic data takes, as p50:
${resets.map(({ data, p50 }) => `${p50.toFixed(1)} ms to ${data}`).join(", ")}.`,
    { reset: Math.max(...resets.map(({ p50 }) => p50)) },
  );
} finally {
  await served.stop();
}
