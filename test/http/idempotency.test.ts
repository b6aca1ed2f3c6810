import { describe, expect, test } from "vitest";
import { createUser, logIn, protectedEnv, send, uniqueName, type Init } from "../client.ts";

let lastId = 8_000_000;

interface Made {
  readonly id: number;
}

describe.each([
  ["/v2/pet", { name: "Rex", photoUrls: [] }, { name: "Max", photoUrls: [] }],
  ["/v2/store/order", { quantity: 1 }, { quantity: 2 }],
  ["/api/v3/pet", { name: "Rex", photoUrls: [] }, { name: "Max", photoUrls: [] }],
  ["/api/v3/store/order", { quantity: 1 }, { quantity: 2 }],
])("POST %s with an Idempotency-Key", (path, json, other) => {
  const post = async (key: string, body: object = json, init: Init = {}) =>
    send("POST", path, { ...init, json: body, headers: { ...(init.headers as object), "idempotency-key": key } });

  const readPath = (id: number) => `${path.replace("/v2/store", "/api/v3/store")}/${id}`;

  test("returns what the first request created, if repeated", async () => {
    const key = uniqueName("key");
    const first = await post(key);
    const made = await first.json<Made>();
    const again = await post(key, { unknown: 1, id: null, ...json });
    expect([again.status, await again.json()]).toEqual([200, made]);
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    for (const { headers } of [first, again]) {
      expect(headers.get("content-location")).toBe(`${path}/${made.id}`);
    }
  });

  test("takes effect once for concurrent requests", async () => {
    const key = uniqueName("key");
    const responses = await Promise.all(Array.from({ length: 5 }, async () => post(key)));
    const ids = await Promise.all(responses.map(async (response) => (await response.json<Made>()).id));
    expect(new Set(ids).size).toBe(1);
  });

  test("returns 422 for another body and creates nothing, until the first resource is deleted", async () => {
    const key = uniqueName("key");
    const { id } = await (await post(key)).json<Made>();
    const rejected = await post(key, other);
    expect(await rejected.json()).toMatchObject({ code: 422, type: "error" });
    expect((await send("GET", readPath(id + 1))).status).toBe(404);
    await send("DELETE", `${path}/${id}`);
    expect(await (await post(key, other)).json()).toMatchObject(other);
  });

  test.each(["a", "x".repeat(255), '"8e03978e-40d5"', "two words ~!"])("accepts the key %s", async (key) => {
    const first = await (await post(key)).json();
    expect(await (await post(key)).json()).toEqual(first);
  });

  test.each(["x".repeat(256), "\u0001", "two\tkeys", "ä"])("rejects the key %j, and names the header", async (key) => {
    const rejected = await post(key);
    expect(await rejected.json()).toMatchObject({ code: 400, errors: [{ path: "Idempotency-Key" }] });
  });

  test("treats an empty key as no key", async () => {
    const [one, two] = [await post(""), await post("")];
    expect((await one.json<Made>()).id).not.toBe((await two.json<Made>()).id);
  });

  test("has separate keys for each account and for the API key", async () => {
    const key = uniqueName("key");
    const ids = [];
    for (const headers of [
      { authorization: `Bearer ${await logIn(await createUser())}` },
      { authorization: `Bearer ${await logIn(await createUser())}` },
      { api_key: protectedEnv.API_KEY },
    ]) {
      const init = { headers: headers as Record<string, string>, env: protectedEnv };
      const { id } = await (await post(key, json, init)).json<Made>();
      expect(await (await post(key, json, init)).json()).toMatchObject({ id });
      ids.push(id);
    }
    expect(new Set(ids).size).toBe(3);
  });

  test("does not return another account's resource with the same ID", async () => {
    const [key, id] = [uniqueName("key"), ++lastId];
    for (const isFirst of [true, false]) {
      const headers = { authorization: `Bearer ${await logIn(await createUser())}` };
      const response = await post(key, { ...json, id }, { headers, env: protectedEnv });
      if (isFirst) expect(response.status).toBe(200);
      else expect(await response.json()).toMatchObject({ errors: [{ path: "id" }] });
    }
  });
});

test("a repeated request returns the current pet", async () => {
  const headers = { "idempotency-key": uniqueName("key") };
  const json = { name: "Rex", photoUrls: [] };
  const { id } = await (await send("POST", "/v2/pet", { json, headers })).json<Made>();
  await send("PUT", "/v2/pet", { json: { id, name: "Max", photoUrls: ["max.png"] } });
  const again = await send("POST", "/v2/pet", { json, headers });
  expect([again.status, await again.json()]).toEqual([200, { id, name: "Max", photoUrls: ["max.png"] }]);
});
