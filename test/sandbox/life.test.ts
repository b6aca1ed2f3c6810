import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { PERMANENT, failing } from "../bindings.ts";
import { createPet, formOf, getJson, logIn, sandbox, send } from "../client.ts";
import { classicSandbox, configure, countFiles, demand, objectOf, protect, sandboxExists } from "./sandboxes.ts";

const HOUR_MS = 60 * 60 * 1000;

/** How long a sandbox has left, in hours, by the clock of the tests. */
async function hoursLeft(path: string): Promise<number> {
  const { expiresAt } = await getJson<{ expiresAt: string }>(path);
  return (Date.parse(expiresAt) - Date.now()) / HOUR_MS;
}

/** What the Durable Object stores, except for what workerd itself keeps there. */
const storedIn = async (path: string) =>
  runInDurableObject(objectOf(path), async (_, { storage }) => ({
    alarm: await storage.getAlarm(),
    tables: storage.sql.exec("SELECT * FROM sqlite_schema WHERE name NOT GLOB '_cf_*'").toArray(),
    values: [...storage.kv.list()],
  }));

const NOTHING = { alarm: null, tables: [], values: [] };

async function upload(path: string): Promise<number> {
  const body = formOf({ file: new Blob(["a file"]) });
  return (await send("POST", `${path}/v2/pet/1/uploadImage`, { body })).status;
}

/** A sandbox with the classic data, a file, a session, a rule and a request. */
async function fullSandbox(): Promise<string> {
  const path = await classicSandbox({ path: "/pet/9", status: 503, times: 5 });
  expect(await upload(path)).toBe(200);
  await logIn({ username: "user1", password: "XXXXXXXXXXX" }, { base: `${path}/v2` });
  await send("GET", `${path}/v2/pet/9`);
  return path;
}

/** Starts a request. @returns what sends the end of its body */
async function begin(method: string, path: string, json: object) {
  const [first, ...rest] = new TextEncoder().encode(JSON.stringify(json));
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const isRead = writer.write(Uint8Array.of(first ?? 0));
  const headers = { "content-type": "application/json" };
  const init = { method, headers, body: readable };
  const response = exports.default.fetch(new Request(`http://petstore.test${path}`, init));
  await isRead;
  return async () => {
    await writer.write(Uint8Array.from(rest));
    await writer.close();
    return response;
  };
}

describe("a sandbox's lifetime", () => {
  const now = Date.now();
  const setHours = (hours: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now: now + hours * HOUR_MS });
  };
  afterEach(() => {
    vi.useRealTimers();
  });

  test("ends with its alarm, and nothing is left in the Durable Object or in R2", async () => {
    const before = await countFiles();
    const path = await fullSandbox();
    expect(await countFiles()).toBe(before + 1);
    setHours(25);
    expect(await runDurableObjectAlarm(objectOf(path))).toBe(true);
    expect(await storedIn(path)).toEqual(NOTHING);
    expect(await countFiles()).toBe(before);
    expect(await sandboxExists(path)).toBe(false);
  });

  test("ends 24 hours after the last request or change, and viewing the sandbox does not extend it", async () => {
    const path = sandbox();
    for (const [hours, method, below, json] of [
      [0, "GET", "/v2/store/inventory", undefined],
      [20, "GET", "/api/v3/pet/1", undefined],
      [40, "PUT", "/data", { data: "empty" }],
      [60, "PUT", "/faults", []],
      [80, "PUT", "/access", { access: "open" }],
    ] as const) {
      setHours(hours);
      await send(method, path + below, json ? { json } : {});
      const left = await hoursLeft(path);
      expect(left).toBeGreaterThanOrEqual(24);
      expect(left).toBeLessThan(25);
    }
    setHours(90);
    for (const below of ["", "/data", "/faults", "/access", "/requests"]) await getJson(path + below);
    expect(await hoursLeft(path)).toBeLessThan(15);
    setHours(103);
    await runDurableObjectAlarm(objectOf(path));
    expect(await sandboxExists(path)).toBe(true);
    setHours(105);
    await runDurableObjectAlarm(objectOf(path));
    expect(await sandboxExists(path)).toBe(false);
  });

  test("is set by SANDBOX_SECONDS", async () => {
    const path = sandbox();
    await configure(path, { SANDBOX_SECONDS: "7200" });
    await send("GET", `${path}/v2/store/inventory`);
    expect(await hoursLeft(path)).toBeLessThan(3);
  });
});

describe("DELETE of a sandbox", () => {
  test("deletes everything, and the name can create an empty sandbox", async () => {
    const before = await countFiles();
    const path = await fullSandbox();
    expect((await send("DELETE", path)).status).toBe(204);
    expect(await storedIn(path)).toEqual(NOTHING);
    expect(await countFiles()).toBe(before);
    expect((await send("DELETE", path)).status).toBe(404);

    expect((await createPet({}, { base: `${path}/v2` })).id).toBe(1);
    expect(await getJson(path)).toMatchObject({ pets: 1, orders: 0, users: 0 });
    expect(await getJson(`${path}/faults`)).toEqual([]);
    expect(await getJson(`${path}/requests`)).toMatchObject([{ method: "POST" }]);
  });

  test.each([
    ["POST", "/v2/pet", { name: "Rex", photoUrls: [] }],
    ["POST", "/api/v3/user/createWithList", [{ username: "ada", password: "secret" }]],
    ["PUT", "/data", { data: "classic" }],
    ["PUT", "/access", { access: "open" }],
  ])("makes an in-flight %s %s return 404 and leave nothing", async (method, below, json) => {
    const path = await fullSandbox();
    const end = await begin(method, path + below, json);
    await send("DELETE", path);
    const response = await end();
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 404, type: "error" });
    expect(await storedIn(path)).toEqual(NOTHING);
  });

  test("leaves no header of the real response in the 404 of an in-flight request", async () => {
    const path = await classicSandbox({ delayMs: 30_000 });
    const inFlight = send("GET", `${path}/v2/pet/1`);
    await vi.waitFor(async () => expect(await getJson(`${path}/faults`)).toMatchObject([{ used: 1 }]));
    await send("DELETE", path);
    const response = await inFlight;
    expect(response.status).toBe(404);
    expect(response.headers.get("etag")).toBeNull();
  });

  test("returns 503 if R2 fails, and the sandbox stays usable", async () => {
    const path = await fullSandbox();
    await configure(path, { IMAGES: failing(env.IMAGES, { call: () => ({ when: "before", error: PERMANENT }) }) });
    expect((await send("DELETE", path)).status).toBe(503);
    await configure(path, {});
    expect(await sandboxExists(path)).toBe(true);
    expect((await send("DELETE", path)).status).toBe(204);
  });

  test("keeps an in-flight request out of the next sandbox with that name", async () => {
    const path = await fullSandbox();
    const end = await begin("POST", `${path}/v2/pet`, { name: "Rex", photoUrls: [] });
    await send("DELETE", path);
    await createPet({ name: "Max" }, { base: `${path}/v2` });
    expect((await end()).status).toBe(404);
    const max = { id: 1, name: "Max" };
    expect(await getJson(`${path}/data`)).toMatchObject({ pets: [max], orders: [], users: [] });
    expect(await getJson(`${path}/requests`)).toMatchObject([{ method: "POST", status: 200 }]);
  });

  test("makes an in-flight upload return 404 and leave no file", async () => {
    const before = await countFiles();
    const path = sandbox();
    await createPet({ id: 1 }, { base: `${path}/v2` });
    const put = async (...values: Parameters<R2Bucket["put"]>) => {
      await send("DELETE", path);
      return env.IMAGES.put(...values);
    };
    const IMAGES = new Proxy(env.IMAGES, {
      get: (bucket, name: keyof R2Bucket) => (name === "put" ? put : bucket[name].bind(bucket)),
    });
    await configure(path, { IMAGES });
    expect(await upload(path)).toBe(404);
    expect(await sandboxExists(path)).toBe(false);
    expect(await countFiles()).toBe(before);
  });

  test("ends a rule's delay with 404", async () => {
    const path = sandbox();
    await demand(path, { delayMs: 30_000 });
    const response = send("GET", `${path}/v2/pet/x`);
    await expect.poll(async () => getJson(`${path}/faults`)).toMatchObject([{ used: 1 }]);
    await send("DELETE", path);
    expect((await response).status).toBe(404);
    expect(await sandboxExists(path)).toBe(false);
  });
});

test("a sandbox is unchanged after its Durable Object hibernated", async () => {
  const apiKey = "a-key-of-this-sandbox";
  const path = await protect(await fullSandbox(), apiKey);
  const parts = ["", "/data", "/faults", "/access", "/requests"];
  const show = async () => Promise.all(parts.map(async (below) => getJson(path + below)));
  const before = await show();
  await evictDurableObject(objectOf(path));
  expect(await show()).toEqual(before);
  expect((await send("DELETE", `${path}/v2/pet/10`)).status).toBe(401);
  const headers = { api_key: apiKey };
  expect((await send("DELETE", `${path}/v2/pet/10`, { headers })).status).toBe(200);
  expect((await createPet({}, { base: `${path}/v2`, headers })).id).toBe(11);
});

test("`every` continues to count after the Durable Object hibernated", async () => {
  const path = await classicSandbox({ every: 2, status: 503 });
  const statuses: number[] = [];
  for (let time = 0; time < 3; time++) {
    statuses.push((await send("GET", `${path}/v2/pet/1`)).status);
    await evictDurableObject(objectOf(path));
  }
  expect(statuses).toEqual([200, 503, 200]);
});
