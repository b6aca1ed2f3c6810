import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createPet, logIn, sandbox, send } from "../client.ts";

const HOUR_MS = 60 * 60 * 1000;

const objectOf = (path: string) => env.SANDBOXES.getByName(path.slice("/sandboxes/".length));

/** Gives the object of a sandbox other settings: it does not see those of one request to the Worker. */
const configure = async (path: string, settings: object) =>
  runInDurableObject(objectOf(path), (object) => {
    Object.assign(object, { env: { ...env, ...settings } });
  });

const filesIn = async () => (await env.IMAGES.list()).objects.length;

const exists = async (path: string) => (await send("GET", path)).status === 200;

async function expiryOf(path: string): Promise<number> {
  const { expiresAt } = await (await send("GET", path)).json<{ expiresAt: string }>();
  return Date.parse(expiresAt);
}

/** What the object stores, besides what workerd itself keeps there. */
const storedIn = async (path: string) =>
  runInDurableObject(objectOf(path), async (_, { storage }) => ({
    alarm: await storage.getAlarm(),
    tables: storage.sql
      .exec("SELECT name FROM sqlite_schema WHERE name NOT GLOB '_cf_*'")
      .toArray(),
    values: [...storage.kv.list()],
  }));

const NOTHING = { alarm: null, tables: [], values: [] };

function imageForm(): FormData {
  const form = new FormData();
  form.append("file", new File(["a file"], "rex.txt"));
  return form;
}

/** A sandbox with the classic data, a file, a session, a rule, an access of its own and a request. */
async function fullSandbox(): Promise<string> {
  const path = sandbox();
  await send("PUT", `${path}/data`, { json: { data: "classic" } });
  await send("POST", `${path}/v2/pet/1/uploadImage`, { body: imageForm() });
  await logIn({ username: "user1", password: "XXXXXXXXXXX" }, { base: `${path}/v2` });
  await send("PUT", `${path}/faults`, { json: [{ path: "/pet/9", status: 503, times: 5 }] });
  await send("GET", `${path}/v2/pet/9`);
  return path;
}

/** Starts a request whose body ends when the returned function is called. */
async function begin(method: string, path: string, json: object) {
  const [first, ...rest] = new TextEncoder().encode(JSON.stringify(json));
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const isRead = writer.write(Uint8Array.of(first ?? 0));
  const headers = { "content-type": "application/json" };
  const answer = exports.default.fetch(
    new Request(`http://petstore.test${path}`, { method, headers, body: readable }),
  );
  await isRead;
  return async () => {
    await writer.write(Uint8Array.from(rest));
    await writer.close();
    return answer;
  };
}

describe("a sandbox whose time is over", () => {
  let now: number;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    now = Date.now();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("ends by its alarm, and nothing is left of it in the object and in R2", async () => {
    const before = await filesIn();
    const path = await fullSandbox();
    expect(await filesIn()).toBe(before + 1);
    vi.setSystemTime(now + 25 * HOUR_MS);
    expect(await runDurableObjectAlarm(objectOf(path))).toBe(true);
    expect(await storedIn(path)).toEqual(NOTHING);
    expect(await filesIn()).toBe(before);
    expect(await exists(path)).toBe(false);
  });

  test("is one that had no request for 24 hours", async () => {
    const path = sandbox();
    await createPet({}, { base: `${path}/v2` });
    for (const hours of [0, 1, 20, 23]) {
      vi.setSystemTime(now + hours * HOUR_MS);
      expect((await send("GET", `${path}/v2/store/inventory`)).status).toBe(200);
      const left = (await expiryOf(path)) - Date.now();
      expect(left).toBeGreaterThanOrEqual(24 * HOUR_MS);
      expect(left).toBeLessThan(25 * HOUR_MS);
    }
    vi.setSystemTime(now + 46 * HOUR_MS);
    await runDurableObjectAlarm(objectOf(path));
    expect(await exists(path)).toBe(true);
    vi.setSystemTime(now + 48 * HOUR_MS);
    await runDurableObjectAlarm(objectOf(path));
    expect(await exists(path)).toBe(false);
  });

  test("has other 24 hours after a change of its data, rules or access, but not after a look", async () => {
    const path = sandbox();
    await send("GET", `${path}/v2/store/inventory`);
    const first = await expiryOf(path);
    vi.setSystemTime(now + 5 * HOUR_MS);
    for (const below of ["", "/data", "/faults", "/access", "/requests"]) {
      expect((await send("GET", path + below)).status).toBe(200);
    }
    expect(await expiryOf(path)).toBe(first);
    let last = first;
    for (const [below, json] of [
      ["/data", { data: "empty" }],
      ["/faults", []],
      ["/access", { access: "open" }],
    ] as const) {
      vi.setSystemTime(Date.now() + HOUR_MS);
      expect((await send("PUT", path + below, { json })).status).toBe(204);
      expect(await expiryOf(path)).toBeGreaterThan(last);
      last = await expiryOf(path);
    }
  });

  test("is one that was not used for SANDBOX_SECONDS", async () => {
    const path = sandbox();
    await configure(path, { SANDBOX_SECONDS: "7200" });
    await send("GET", `${path}/v2/store/inventory`);
    const left = (await expiryOf(path)) - now;
    expect(left).toBeGreaterThanOrEqual(2 * HOUR_MS);
    expect(left).toBeLessThan(3 * HOUR_MS);
  });
});

describe("DELETE of a sandbox", () => {
  test("takes everything with it, and its name makes an empty one", async () => {
    const before = await filesIn();
    const path = await fullSandbox();
    expect((await send("DELETE", path)).status).toBe(204);
    expect(await storedIn(path)).toEqual(NOTHING);
    expect(await filesIn()).toBe(before);
    expect((await send("DELETE", path)).status).toBe(404);

    const pet = await createPet({ name: "Max" }, { base: `${path}/v2` });
    expect(pet.id).toBe(1);
    expect(await (await send("GET", path)).json()).toMatchObject({ pets: 1, orders: 0, users: 0 });
    expect(await (await send("GET", `${path}/faults`)).json()).toEqual([]);
    expect(await (await send("GET", `${path}/access`)).json()).toEqual({ access: "open" });
  });

  test.each([
    ["POST", "/v2/pet", { name: "Rex", photoUrls: [] }],
    ["POST", "/api/v3/user/createWithList", [{ username: "ada", password: "secret" }]],
    ["PUT", "/data", { data: "classic" }],
    ["PUT", "/faults", [{ status: 503 }]],
    ["PUT", "/access", { access: "open" }],
  ])("makes %s %s in flight a 404 that leaves nothing", async (method, below, json) => {
    const path = await fullSandbox();
    const end = await begin(method, path + below, json);
    expect((await send("DELETE", path)).status).toBe(204);
    const answer = await end();
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 404, type: "error" });
    expect(await storedIn(path)).toEqual(NOTHING);
  });

  test("keeps a request in flight out of the sandbox that its name makes next", async () => {
    const path = await fullSandbox();
    const end = await begin("POST", `${path}/v2/pet`, { name: "Rex", photoUrls: [] });
    await send("DELETE", path);
    await createPet({ name: "Max" }, { base: `${path}/v2` });
    expect((await end()).status).toBe(404);
    const data = await (await send("GET", `${path}/data`)).json();
    expect(data).toMatchObject({ pets: [{ id: 1, name: "Max" }], orders: [], users: [] });
    const requests = await (await send("GET", `${path}/requests`)).json();
    expect(requests).toMatchObject([{ method: "POST", status: 200 }]);
  });

  test("makes an upload in flight a 404 that leaves no file", async () => {
    const before = await filesIn();
    const path = sandbox();
    await createPet({ id: 1 }, { base: `${path}/v2` });
    const IMAGES = new Proxy(env.IMAGES, {
      get: (bucket, name: keyof R2Bucket) =>
        name === "put"
          ? async (...values: [string, ArrayBuffer, R2PutOptions]) => {
              await send("DELETE", path);
              return bucket.put(...values);
            }
          : bucket[name].bind(bucket),
    });
    await configure(path, { IMAGES });
    const answer = await send("POST", `${path}/v2/pet/1/uploadImage`, { body: imageForm() });
    expect(answer.status).toBe(404);
    expect(await exists(path)).toBe(false);
    expect(await filesIn()).toBe(before);
  });

  test("ends a delay of a rule with 404", async () => {
    const path = sandbox();
    await send("PUT", `${path}/faults`, { json: [{ delayMs: 30_000 }] });
    const answer = send("GET", `${path}/v2/store/inventory`);
    await expect
      .poll(async () => (await send("GET", `${path}/faults`)).json())
      .toMatchObject([{ used: 1 }]);
    await send("DELETE", path);
    expect((await answer).status).toBe(404);
    expect(await exists(path)).toBe(false);
  });
});

test("a sandbox is as it was when its object wakes", async () => {
  const path = await fullSandbox();
  const access = { access: "protected", apiKey: "a-key-of-this-sandbox" };
  await send("PUT", `${path}/access`, { json: access });
  const show = async () =>
    Promise.all(
      ["", "/data", "/faults", "/access", "/requests"].map(async (below) =>
        (await send("GET", path + below)).json(),
      ),
    );
  const before = await show();
  await evictDurableObject(objectOf(path));
  expect(await show()).toEqual(before);
  expect((await send("DELETE", `${path}/v2/pet/10`)).status).toBe(401);
  const headers = { api_key: access.apiKey };
  expect((await send("DELETE", `${path}/v2/pet/10`, { headers })).status).toBe(200);
  expect((await createPet({}, { base: `${path}/v2`, headers })).id).toBe(11);
});
