import { exports } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { time } from "../../src/unavailable.ts";

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

async function send(method: string, path: string, body?: string): Promise<Response> {
  return exports.default.fetch(
    new Request(`http://petstore.test/stores/${path}`, {
      method,
      ...(body !== undefined && { body, headers: { "Content-Type": "application/json" } }),
    }),
  );
}

async function statuses(store: string): Promise<readonly number[]> {
  const requests = await (await send("GET", `${store}/requests`)).json<{ status: number }[]>();
  return requests.map(({ status }) => status);
}

test("the requests of a store are all that were answered before one asks", async () => {
  const store = crypto.randomUUID();
  await (await send("GET", `${store}/v2/store/inventory`)).text();
  await (await send("GET", `${store}/v2/pet/1`)).text();
  expect(await statuses(store)).toEqual([404, 200]);
  await (await send("GET", `${store}/v2/pet/x`)).text();
  expect(await statuses(store)).toEqual([400, 404, 200]);
});

test("a store that is put into a known state forgets the requests before", async () => {
  const store = crypto.randomUUID();
  await (await send("GET", `${store}/v2/pet/1`)).text();
  await send("PUT", `${store}/data`, `{"data":"empty"}`);
  expect(await statuses(store)).toEqual([]);
  await (await send("GET", `${store}/v2/store/inventory`)).text();
  expect(await statuses(store)).toEqual([200]);
});

test("a store that is made again after it was deleted shows no request from before", async () => {
  const store = crypto.randomUUID();
  await (await send("GET", `${store}/v2/pet/1`)).text();
  expect((await send("DELETE", store)).status).toBe(204);
  await (await send("GET", `${store}/v2/store/inventory`)).text();
  expect(await statuses(store)).toEqual([200]);
});
