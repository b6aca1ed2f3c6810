import { afterEach, describe, expect, test, vi } from "vitest";
import { getJson, sandbox, send } from "../client.ts";
import { classicSandbox, configure, demand, readUses, sendUnchecked } from "./sandboxes.ts";

/** Returns the newest entry of a sandbox's request log. */
const readNewest = async (path: string) => (await getJson<{ ms: number }[]>(`${path}/requests?limit=1`))[0];

/** Reads the chunks of a body. */
async function readChunks({ body }: Response) {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body ?? []) chunks.push(chunk);
    return { chunks, isWhole: true };
  } catch {
    return { chunks, isWhole: false };
  }
}

const BASES = ["/v2", "/api/v3"];

describe("a patch", () => {
  test("is merged into a success response, and changes no stored data", async () => {
    const path = await classicSandbox({ patch: { id: "one", name: null, category: { id: null, a: 1 } } });
    const response = await sendUnchecked(`${path}/v2/pet/1`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-security-policy")).toMatch(/\bsandbox\b/);
    const patched = await response.json<object>();
    await demand(path);
    const real = await getJson<{ name?: string }>(`${path}/v2/pet/1`);
    expect(real).toMatchObject({ id: 1, name: "Cat 1", category: { name: "Cats" } });
    const { name: _, ...rest } = real;
    expect(patched).toEqual({ ...rest, id: "one", category: { name: "Cats", a: 1 } });
  });

  test("is merged into each item of a list of any length, but not into errors", async () => {
    const path = await classicSandbox({ patch: { name: null, colour: "red" } });
    const pets = Array.from({ length: 500 }, () => ({ name: "R", photoUrls: [], status: "sold" }));
    await send("PUT", `${path}/data`, { json: { pets } });
    for (const base of [`${path}/v2`, `${path}/api/v3`]) {
      const list = await sendUnchecked(`${base}/pet/findByStatus?status=sold`);
      expect(await list.json()).toEqual(
        pets.map((_, at) => ({ id: at + 1, photoUrls: [], status: "sold", colour: "red" })),
      );
      expect(await (await sendUnchecked(`${base}/pet/abc`)).text()).not.toContain("red");
    }
  });

  test("cannot reach a prototype", async () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as object;
    const path = await classicSandbox({ patch });
    expect(await (await sendUnchecked(`${path}/v2/pet/1`)).text()).toContain('"constructor":2');
    expect({}).not.toHaveProperty("polluted");
  });
});

test("a rule delays the real response", async () => {
  const path = await classicSandbox({ delayMs: 40 });
  expect(await getJson(`${path}/v2/pet/1`)).toMatchObject({ id: 1 });
  const newest = await readNewest(path);
  expect(newest?.ms).toBeGreaterThanOrEqual(40);
});

describe.each(BASES)("at %s, a redirect", (base) => {
  test.each([301, 302, 303, 307, 308])(
    "with the status %i leads to a path of the same API and sandbox",
    async (status) => {
      const path = await classicSandbox({ operationId: "addPet", status, location: "/pet/2?a=b" });
      const response = await sendUnchecked(`${path}${base}/pet`, "POST", { json: {} });
      expect([response.status, await response.text()]).toEqual([status, ""]);
      expect(response.headers.get("location")).toBe(`${path}${base}/pet/2?a=b`);
      expect(new URL(response.headers.get("location") ?? "", "http://petstore.test").pathname).toBe(
        `${path}${base}/pet/2`,
      );
    },
  );

  test("can have a body, and be sent after the request was performed", async () => {
    const rule = { operationId: "deletePet", status: 303, location: "/pet/2", body: "moved", after: true };
    const path = await classicSandbox(rule);
    const response = await sendUnchecked(`${path}${base}/pet/1`, "DELETE");
    expect([response.status, await response.text()]).toEqual([303, "moved"]);
    expect((await send("GET", `${path}${base}/pet/1`)).status).toBe(404);
  });
});

test("a redirect begins with the path of the public URL", async () => {
  const path = sandbox();
  await configure(path, { PUBLIC_URL: "https://a.example/store" });
  await demand(path, { status: 302, location: "/pet/2" });
  const { headers } = await sendUnchecked(`${path}/v2/pet/1`);
  expect(headers.get("location")).toBe(`/store${path}/v2/pet/2`);
});

test("a random delay is within its range", async () => {
  // Both the chance and the delay are random.
  const random = vi.spyOn(Math, "random");
  for (const value of [0, 0, 0, 0.999]) random.mockReturnValueOnce(value);
  const path = await classicSandbox({ delayMs: [20, 60] });
  const delays: number[] = [];
  for (let time = 0; time < 2; time++) {
    await sendUnchecked(`${path}/v2/pet/1`);
    const newest = await readNewest(path);
    delays.push(newest?.ms ?? 0);
  }
  vi.restoreAllMocks();
  expect(delays[0]).toBeGreaterThanOrEqual(20);
  expect(delays[1]).toBeGreaterThanOrEqual(60);
});

describe.each([
  ["body", false],
  ["json", true],
])("a response that breaks as %s", (kind, isWhole) => {
  test.each([
    ["an object", "/v2/pet/1", {}],
    ["a list", "/v2/pet/findByStatus?status=available", {}],
    ["an error", "/v2/pet/404", {}],
    ["a fault response", "/v2/pet/1", { status: 500 }],
  ])("has half of its body: %s", async (_, below, rule) => {
    const path = await classicSandbox({ ...rule, break: kind, times: 1 }, { ...rule, delayMs: 1 });
    const half = await readChunks(await sendUnchecked(path + below));
    const whole = await (await sendUnchecked(path + below)).text();
    expect(half.isWhole).toBe(isWhole);
    const text = await new Blob(half.chunks).text();
    expect(whole.startsWith(text)).toBe(true);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  test("is whole if it has no body", async () => {
    const response = await sendUnchecked(`${await classicSandbox({ break: kind })}/v2/pet/1`, "HEAD");
    expect([response.status, await readChunks(response)]).toEqual([200, { isWhole: true, chunks: [] }]);
  });
});

describe.each(BASES)("at %s, a slow body", (base) => {
  test.each<[object, string, number]>([
    [{}, "/pet/1", 10],
    [{}, "/pet/findByStatus?status=available", 10],
    [{}, "/pet/404", 10],
    [{ patch: { name: "x" } }, "/pet/1", 10],
    [{ status: 200, body: "abc" }, "/pet/1", 3],
    [{ status: 503, after: true }, "/pet/1", 10],
    [{ break: "json" }, "/pet/1", 10],
  ])("comes in at most ten parts: %j of %s", async (rule, below, most) => {
    const path = await classicSandbox({ ...rule, slowMs: 20, times: 1 }, { ...rule, headers: { "x-a": "b" } });
    const { chunks, isWhole } = await readChunks(await sendUnchecked(`${path}${base}${below}`));
    expect(isWhole).toBe(true);
    expect(chunks.length).toBeGreaterThan(most - 2);
    expect(chunks.length).toBeLessThanOrEqual(most);
    const text = await new Blob(chunks).text();
    expect(await readNewest(path)).toMatchObject({ responseBody: text, rule: { slowMs: 20 } });
    expect(text).toBe(await (await sendUnchecked(`${path}${base}${below}`)).text());
  });

  test("can break in the middle", async () => {
    const path = await classicSandbox({ slowMs: 20, break: "body" });
    const { chunks, isWhole } = await readChunks(await sendUnchecked(`${path}${base}/pet/1`));
    expect(chunks.length).toBeGreaterThan(5);
    expect(isWhole).toBe(false);
    const half = await new Blob(chunks).text();
    expect(await readNewest(path)).toMatchObject({ responseBody: half });
    expect(() => JSON.parse(half) as unknown).toThrow(SyntaxError);
  });

  test("is used only by a response with a body", async () => {
    const path = await classicSandbox({ slowMs: 1, times: 1 });
    await sendUnchecked(`${path}${base}/pet/1`, "HEAD");
    expect(await readUses(path)).toEqual([0]);
    await sendUnchecked(`${path}${base}/pet/1`);
    expect(await readUses(path)).toEqual([1]);
  });
});

describe("the time of a slow body", () => {
  const SLOW_MS = 27_000;

  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Holds the waits between the parts of a slow body until they are released, and notes them. */
  function holdParts() {
    const state = { waits: [] as number[], isReleased: false };
    const wait = scheduler.wait.bind(scheduler);
    vi.spyOn(scheduler, "wait").mockImplementation(async (ms, options) => {
      if (ms < SLOW_MS / 10) return wait(ms, options);
      state.waits.push(ms);
      while (!state.isReleased) await wait(1, options);
    });
    return state;
  }

  test("is spread over its parts, of which the first comes at once", async () => {
    const path = await classicSandbox({ slowMs: SLOW_MS });
    const state = holdParts();
    const { body } = await sendUnchecked(`${path}/v2/pet/1`);
    const lengths: number[] = [];
    for await (const chunk of body ?? []) {
      expect(state.isReleased).toBe(lengths.length > 0);
      lengths.push(chunk.byteLength);
      state.isReleased = true;
    }
    const total = lengths.reduce((sum, length) => sum + length, 0);
    expect(lengths[0]).toBe(Math.ceil(total / 10));
    expect(state.waits).toHaveLength(9);
    expect(state.waits.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(SLOW_MS);
  });

  test("does not delay a body of one byte, which uses the rule", async () => {
    const path = await classicSandbox({ status: 200, body: "x", slowMs: SLOW_MS });
    const state = holdParts();
    expect(await (await sendUnchecked(`${path}/v2/pet/1`)).text()).toBe("x");
    expect(state.waits).toEqual([]);
    expect(await readUses(path)).toEqual([1]);
  });
});

test("the deletion of a sandbox ends a slow body", async () => {
  const path = await classicSandbox({ slowMs: 30_000 });
  const response = await sendUnchecked(`${path}/v2/pet/1`);
  expect((await send("DELETE", path)).status).toBe(204);
  expect(await readChunks(response)).toMatchObject({ isWhole: false });
});

describe.each(BASES)("at %s, a connection that closes", (base) => {
  test("sends no byte, does nothing, and is logged with the status 0", async () => {
    const path = await classicSandbox({ break: "connection", times: 1 });
    const response = await sendUnchecked(`${path}${base}/pet/1`, "DELETE");
    expect(await readChunks(response)).toEqual({ chunks: [], isWhole: false });
    expect((await send("GET", `${path}${base}/pet/1`)).status).toBe(200);
    expect(await readUses(path)).toEqual([1]);
    const log = await getJson<object[]>(`${path}/requests`);
    expect(log[1]).toMatchObject({ method: "DELETE", status: 0, responseHeaders: {}, rule: { break: "connection" } });
    expect(log[1]).not.toHaveProperty("responseBody");
    for (const status of ["1xx", "2xx", "3xx", "4xx", "5xx"]) {
      const found = await getJson<object[]>(`${path}/requests?status=${status}`);
      expect(found).toHaveLength(status === "2xx" ? 1 : 0);
    }
  });

  test("can be performed first, and delayed", async () => {
    const path = await classicSandbox({
      operationId: "addPet",
      break: "connection",
      after: true,
      delayMs: 20,
      times: 1,
    });
    const json = { id: 77, name: "Rex", photoUrls: [] };
    const response = await sendUnchecked(`${path}${base}/pet`, "POST", { json });
    expect(await readChunks(response)).toMatchObject({ isWhole: false });
    const newest = await readNewest(path);
    expect(newest?.ms).toBeGreaterThanOrEqual(20);
    expect(newest).toMatchObject({ requestBody: JSON.stringify(json), status: 0 });
    expect((await send("GET", `${path}${base}/pet/77`)).status).toBe(200);
  });

  test("is counted exactly by 20 requests at once, and not repeated", async () => {
    for (const after of [false, true]) {
      const path = await classicSandbox({ break: "connection", times: 7, after });
      const responses = await Promise.all(
        Array.from({ length: 20 }, async () => sendUnchecked(`${path}${base}/pet/1`)),
      );
      const results = await Promise.all(responses.map(readChunks));
      expect(results.filter(({ isWhole }) => !isWhole)).toHaveLength(7);
      expect(await readUses(path)).toEqual([7]);
      expect(await getJson(`${path}/requests`)).toHaveLength(20);
    }
  });

  test("has no response to HEAD either", async () => {
    const path = await classicSandbox({ break: "connection" });
    await expect(sendUnchecked(`${path}${base}/pet/1`, "HEAD")).rejects.toThrow("a rule closed the connection");
    expect(await readNewest(path)).toMatchObject({ method: "HEAD", status: 0 });
  });
});

const cacheHeaders = ({ headers }: Response) =>
  ["etag", "last-modified", "cache-control"].map((name) => headers.get(name));

describe("a cache", () => {
  test.each<[object]>([
    [{ patch: { name: "x" } }],
    [{ break: "json" }],
    [{ status: 200, body: "{}" }],
    [{ status: 503, after: true }],
  ])("does not keep a response that %j changed", async (rule) => {
    const path = await classicSandbox({ ...rule, times: 1 });
    for (const base of ["/v2/pet/1", "/api/v3/user/user1"]) {
      await demand(path, { ...rule, times: 1 });
      expect(cacheHeaders(await sendUnchecked(path + base))).toEqual([null, null, "no-store"]);
      expect(cacheHeaders(await sendUnchecked(path + base))[0]).not.toBeNull();
    }
  });

  test.each<[object]>([
    [{ headers: { "x-a": "b" } }],
    [{ delayMs: 1 }],
    [{ slowMs: 1 }],
    [{ patch: { a: 1 }, path: "/pet/404" }],
  ])("may keep a response whose status and body %j left as they were", async (rule) => {
    const path = await classicSandbox(rule);
    const [etag, , control] = cacheHeaders(await sendUnchecked(`${path}/v2/pet/1`));
    expect([etag, control]).toEqual([expect.any(String), "private, no-cache, no-transform"]);
  });

  test("keeps what a rule tells it to", async () => {
    const headers = { etag: '"mine"', "cache-control": "max-age=60", "last-modified": null };
    const path = await classicSandbox({ patch: { name: "x" }, headers });
    expect(cacheHeaders(await sendUnchecked(`${path}/v2/pet/1`))).toEqual(['"mine"', null, "max-age=60"]);
  });

  test.each(["GET", "HEAD"])("cannot hide a rule from %s", async (method) => {
    for (const below of ["/v2/pet/1", "/api/v3/pet/1"]) {
      const path = await classicSandbox();
      const etag = (await send("GET", path + below)).headers.get("etag") ?? "";
      const headers = { "If-None-Match": etag, "If-Modified-Since": "Fri, 27 Nov 2026 00:00:00 GMT" };
      expect((await send(method, path + below, { headers })).status).toBe(304);
      for (const rule of [{ patch: { name: "x" } }, { break: "json" }]) {
        await demand(path, rule);
        expect((await sendUnchecked(path + below, method, { headers })).status).toBe(200);
        expect(await readNewest(path)).toMatchObject({ requestHeaders: { "if-none-match": etag } });
      }
      await demand(path, { headers: { "x-a": "b" } });
      expect((await sendUnchecked(path + below, method, { headers })).status).toBe(304);
    }
  });
});

describe("Vary", () => {
  test.each<[string, object[], string | null]>([
    ["/v2/pet/1", [], "Prefer"],
    ["/api/v3/pet/404", [], "Prefer"],
    ["/v2/nowhere", [], "Accept, Prefer"],
    ["/v2/pet/1", [{ status: 503 }], "Prefer"],
    ["/v2/pet/1", [{ status: 503, after: true }], "Prefer"],
    ["/v2/pet/1", [{ patch: { name: "x" } }], "Prefer"],
    ["/v2/pet/404", [{ patch: { name: "x" } }], "Prefer"],
    ["/v2/pet/1", [{ headers: { vary: "Cookie" } }], "Cookie"],
    ["/v2/pet/1", [{ headers: { Vary: null } }], null],
  ])("of %s with the rules %j is %s", async (below, rules, vary) => {
    const path = await classicSandbox(...rules);
    expect((await sendUnchecked(path + below)).headers.get("vary")).toBe(vary);
    if (rules.length === 0) {
      const headers = { Prefer: "code=404" };
      expect((await sendUnchecked(path + below, "GET", { headers })).headers.get("vary")).toBe("Prefer");
    }
  });
});
