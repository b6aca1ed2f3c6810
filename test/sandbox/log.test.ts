import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { time } from "../../src/platform/failures.ts";
import { ask, askWith } from "./raw.ts";

const { wait } = time;

/** Ends the time in which requests are gathered. */
let gathered: PromiseWithResolvers<void>;

beforeEach(() => {
  gathered = Promise.withResolvers();
  time.wait = async () => gathered.promise;
});
afterEach(() => {
  gathered.resolve();
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

test("the ids of requests ascend, also when the store is emptied, which forgets them, and the object wakes §10.7.2 §10.7.9", async () => {
  const store = crypto.randomUUID();
  const ids = async () => {
    const requests = JSON.parse(await read(`${store}/requests`)) as { id: number }[];
    return requests.map(({ id }) => id);
  };
  await askTogether(store, 3);
  expect(await ids()).toEqual([3, 2, 1]);
  await askWith("PUT", `/stores/${store}/data`, { data: "empty" });
  await evictDurableObject(env.STORES.getByName(store));
  await read(`${store}/v2/store/inventory`);
  expect(await ids()).toEqual([4]);
});

test("a store that is made again after it was deleted shows no request from before §10.7.10", async () => {
  const store = crypto.randomUUID();
  await read(`${store}/v2/pet/1`);
  expect((await ask(`/stores/${store}`, {}, "DELETE")).status).toBe(204);
  await read(`${store}/v2/store/inventory`);
  expect(await statuses(store)).toEqual([200]);
});

/** The rows of the log, and how many requests each has. */
const rowsOf = async (store: string) =>
  runInDurableObject(env.STORES.getByName(store), (_, { storage }) =>
    storage.sql
      .exec("SELECT json_array_length(entries) AS count FROM sandbox_requests ORDER BY last")
      .toArray()
      .map(({ count }) => count),
  );

/** Sends requests that are answered 404, and lets the object write them. */
async function askTogether(store: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) await read(`${store}/v2/pet/${sent}`);
  gathered.resolve();
  await expect.poll(async () => (await rowsOf(store)).at(-1)).toBe(Math.min(count, 200));
  gathered = Promise.withResolvers();
}

test("requests that were answered together are one row §10.7.10", async () => {
  const store = crypto.randomUUID();
  await askTogether(store, 3);
  await askTogether(store, 2);
  expect(await rowsOf(store)).toEqual([3, 2]);
});

test("the log has the last 200 requests, and drops rows that are not needed to show them §10.7.10", async () => {
  const store = crypto.randomUUID();
  await askTogether(store, 50);
  await askTogether(store, 150);
  expect(await rowsOf(store)).toEqual([50, 150]);
  await askTogether(store, 49);
  expect(await rowsOf(store)).toEqual([50, 150, 49]);
  await askTogether(store, 1);
  expect(await rowsOf(store)).toEqual([150, 49, 1]);
  const paths = JSON.parse(await read(`${store}/requests`)) as { path: string }[];
  expect(paths).toHaveLength(200);
  expect(paths.slice(0, 2)).toMatchObject([{ path: "/v2/pet/0" }, { path: "/v2/pet/48" }]);
});
