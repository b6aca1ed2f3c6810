import { afterEach, beforeEach, expect, test } from "vitest";
import { time } from "../../src/unavailable.ts";
import { ask, askWith } from "./raw.ts";

const { wait } = time;

/** Nobody who gathers requests goes on until the test is over. */
let over: PromiseWithResolvers<void>;

beforeEach(() => {
  over = Promise.withResolvers();
  const { promise } = over;
  time.wait = async () => promise;
});
afterEach(() => {
  over.resolve();
  time.wait = wait;
});

const read = async (path: string) => (await ask(`/stores/${path}`)).text();

async function statuses(store: string): Promise<readonly number[]> {
  const requests = JSON.parse(await read(`${store}/requests`)) as { status: number }[];
  return requests.map(({ status }) => status);
}

test("the requests of a store are all that were answered before one asks", async () => {
  const store = crypto.randomUUID();
  await read(`${store}/v2/store/inventory`);
  await read(`${store}/v2/pet/1`);
  expect(await statuses(store)).toEqual([404, 200]);
  await read(`${store}/v2/pet/x`);
  expect(await statuses(store)).toEqual([400, 404, 200]);
});

test("a store that is put into a known state forgets the requests before §10.7", async () => {
  const store = crypto.randomUUID();
  await read(`${store}/v2/pet/1`);
  await askWith("PUT", `/stores/${store}/data`, { data: "empty" });
  expect(await statuses(store)).toEqual([]);
  await read(`${store}/v2/store/inventory`);
  expect(await statuses(store)).toEqual([200]);
});

test("a store that is made again after it was deleted shows no request from before §10.7", async () => {
  const store = crypto.randomUUID();
  await read(`${store}/v2/pet/1`);
  expect((await ask(`/stores/${store}`, {}, "DELETE")).status).toBe(204);
  await read(`${store}/v2/store/inventory`);
  expect(await statuses(store)).toEqual([200]);
});
