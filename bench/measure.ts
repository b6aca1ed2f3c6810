// What both parts of the benchmark measure with.
import { Agent, request, type IncomingMessage } from "node:http";
import type { Asked } from "./workloads.ts";

/** How long one contestant is under load in a turn, and its turns in a round: a busy machine's speed changes in the meantime. */
export const LOAD_MS = 200;
export const TURNS = 6;

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[(numbers.length - 1) >> 1] ?? Number.NaN;

/** The geometric mean. */
export const mean = (numbers: readonly number[]): number =>
  Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);

/** The median of the ratios of each round. */
export const ratio = (series: readonly number[], others: readonly number[]): number =>
  median(series.map((value, round) => value / (others[round] ?? Number.NaN)));

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

/** Sends a request and reads the response. `fetch` would take longer than the response. */
async function send(agent: Agent, base: string, { path, body, ...options }: Asked): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(base + path, { agent, ...options }, resolve)
    .on("error", reject)
    .end(body);
  const response = await promise;
  for await (const _ of response);
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) throw new Error(`${base}${path}: ${status}`);
}

interface Contestant {
  /** The base URL. */
  readonly url: string;
  readonly next: () => Asked;
}

/** Each connection sends one request after another. @returns how many, and how long it took */
async function load({ url, next }: Contestant, connections: number, ms: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const began = performance.now();
  let done = 0;
  const askUntilEnd = async () => {
    for (; performance.now() < began + ms; done++) await send(agent, url, next());
  };
  await Promise.all(Array.from({ length: connections }, askUntilEnd));
  agent.destroy();
  return { done, ms: performance.now() - began };
}

/** Puts contestants under load in turns, after a short one to warm up. @returns the requests a second of each */
export async function compete(contestants: readonly Contestant[], connections: number): Promise<number[]> {
  const totals = contestants.map(() => ({ done: 0, ms: 0 }));
  for (const contestant of contestants) await load(contestant, connections, LOAD_MS);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [index, contestant] of contestants.entries()) {
      const { done, ms } = await load(contestant, connections, LOAD_MS);
      const total = totals[index];
      if (total) Object.assign(total, { done: total.done + done, ms: total.ms + ms });
    }
  }
  return totals.map(({ done, ms }) => (done * 1000) / ms);
}
