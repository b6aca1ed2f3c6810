import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failing, type Fault } from "../bindings.ts";
import { createPet, createUser, sandbox, send, type Init } from "../client.ts";
import { classicSandbox, configure, demand, objectOf, protect } from "./sandboxes.ts";

const lines: { method: "log" | "error"; line: string }[] = [];

beforeEach(() => {
  lines.length = 0;
  for (const method of ["log", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => void lines.push({ method, line }));
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The only line of a request, and how it was written. */
async function lineOf(method: string, path: string, init: Init = {}) {
  lines.length = 0;
  const { status } = await send(method, path, { ...init, documented: false });
  expect(lines).toHaveLength(1);
  const [first] = lines;
  const line = JSON.parse(first?.line ?? "") as { error?: string; stack?: string; limiterError?: string };
  return { as: first?.method, status, ...line };
}

/** A call that fails, and the message says so. */
const down = (message: string) => ({ call: (): Fault => ({ when: "before", error: new Error(message) }) });

const PET = { name: "Rex", photoUrls: [] };
const SOLD = { ...PET, status: "sold" };

describe("a log line is normal", () => {
  test.each<[what: string, status: number, below: string, init: Init, ...rules: object[]]>([
    ["an error on demand", 500, "/v2/pet/1", {}, { status: 500 }],
    ["one after a success", 503, "/v2/pet/1", {}, { status: 503, after: true }],
    ["one after an error", 503, "/v2/pet/404", {}, { status: 503, after: true }],
    ["one that breaks off", 502, "/v2/pet/1", {}, { status: 502, break: "json" }],
    ["one of an unknown path", 599, "/v2/nowhere", {}, { status: 599, after: true }],
    ["one of Prefer", 503, "/v2/pet/x", { headers: { Prefer: "code=503" } }],
    ["a patch that is too large", 500, "/v2/pet/findByStatus?status=sold", {}, { patch: { a: "x".repeat(200_000) } }],
  ])("for %s", async (_, status, below, init, ...rules) => {
    const path = await classicSandbox();
    await send("PUT", `${path}/data`, { json: { pets: Array.from({ length: 100 }, () => SOLD) } });
    await send("POST", `${path}/v2/pet`, { json: { ...PET, id: 1 } });
    await demand(path, ...rules);
    const line = await lineOf("GET", path + below, init);
    expect(line).toMatchObject({ as: "log", status });
    expect([line.error, line.stack]).toEqual([undefined, undefined]);
  });

  test("for a sandbox that is full", async () => {
    const path = sandbox();
    await createPet({ id: 1 }, { base: `${path}/v2` });
    await createUser({ username: "ann" }, { base: `${path}/v2` });
    await runInDurableObject(objectOf(path), (_, { storage }) => {
      for (let megabytes = 0; megabytes < 11; megabytes++)
        storage.kv.put(`filling ${megabytes}`, "x".repeat(1_000_000));
    });
    for (const [method, below, init] of [
      ["POST", "/v2/pet", { json: PET }],
      // The session storage rejects it, inside a call that may be retried.
      ["GET", "/v2/user/login?username=ann&password=secret", {}],
    ] as const) {
      const line = await lineOf(method, path + below, init);
      expect(line).toMatchObject({ as: "log", status: 507 });
      expect([line.error, line.stack]).toEqual([undefined, undefined]);
    }
  });
});

describe("a log line names the error", () => {
  test("of the service in a sandbox, even if a rule changed the response", async () => {
    const path = sandbox();
    const LOGINS: RateLimit = { limit: async () => Promise.reject(new Error("LOGINS is down")) };
    await configure(path, { RATE_LIMITS: "on", LOGINS });
    await protect(path, "the key of this sandbox");
    await demand(path, { headers: { "x-rule": "yes" } });
    const line = await lineOf("GET", `${path}/v2/user/login?username=user1&password=XXXXXXXXXXX`);
    expect(line).toMatchObject({ as: "error", status: 503, error: expect.stringContaining("LOGINS is down") });
    expect(line.stack).toBeTypeOf("string");
  });

  test.each(["", sandbox()])("that decided the response, and that of the request limiter: %s", async (at) => {
    const REQUESTS: RateLimit = { limit: async () => Promise.reject(new Error("the limiter is down")) };
    const bindings = {
      DB: failing(env.DB, down("the store is down")),
      SANDBOXES: failing(env.SANDBOXES, down("the store is down")),
    };
    const line = await lineOf("GET", `${at}/v2/store/inventory`, { env: { RATE_LIMITS: "on", REQUESTS, ...bindings } });
    expect(line).toMatchObject({
      as: "error",
      status: 503,
      error: "Error: the store is down",
      limiterError: "Error: the limiter is down",
    });
  });

  test("of the request limiter, which decided nothing", async () => {
    const REQUESTS: RateLimit = { limit: async () => Promise.reject(new Error("the limiter is down")) };
    const line = await lineOf("GET", "/v2/nowhere", { env: { RATE_LIMITS: "on", REQUESTS } });
    expect(line).toMatchObject({ as: "error", status: 404, limiterError: "Error: the limiter is down" });
    expect(line).not.toHaveProperty("error");
  });
});

/** Waits for a logged error. */
const errorLine = async () =>
  vi.waitUntil(() => {
    const found = lines.find(({ method }) => method === "error");
    return found && (JSON.parse(found.line) as { error: string; stack: string });
  });

describe("outside a request, an error is logged with its stack", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("if the request log cannot be written", async () => {
    const path = await classicSandbox();
    await runInDurableObject(objectOf(path), (_, { storage }) => storage.sql.exec("DROP TABLE sandbox_requests"));
    const wait = scheduler.wait.bind(scheduler);
    vi.spyOn(scheduler, "wait").mockImplementation(async (ms, options) => wait(ms === 1000 ? 1 : ms, options));
    expect((await send("GET", `${path}/v2/pet/1`)).status).toBe(200);
    const { error, stack } = await errorLine();
    expect(error).toContain("no such table: sandbox_requests");
    expect(stack).toContain("    at ");
  });

  test("if an alarm cannot delete the sandbox's files", async () => {
    const path = await classicSandbox();
    await configure(path, { IMAGES: failing(env.IMAGES, down("the bucket is down")) });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * 60 * 60 * 1000 });
    await runDurableObjectAlarm(objectOf(path));
    expect(await errorLine()).toMatchObject({
      error: "Error: the bucket is down",
      stack: expect.stringContaining("    at "),
    });
  });

  test("if an alarm cannot set the next one", async () => {
    const path = await classicSandbox();
    await runInDurableObject(objectOf(path), (_, { storage }) => {
      vi.spyOn(storage, "setAlarm").mockRejectedValue(new Error("the storage is down"));
    });
    await expect(runDurableObjectAlarm(objectOf(path))).rejects.toThrow("the storage is down");
    expect(await errorLine()).toMatchObject({ error: "Error: the storage is down" });
  });

  test("if a Durable Object cannot start", async () => {
    const path = await classicSandbox();
    await runInDurableObject(objectOf(path), (_, { storage }) => storage.sql.exec("DROP TABLE __drizzle_migrations"));
    await evictDurableObject(objectOf(path));
    expect((await send("GET", `${path}/v2/pet/1`)).status).toBeGreaterThanOrEqual(500);
    // Drizzle does not say what failed.
    const stack = expect.stringContaining("    at ");
    expect(await errorLine()).toMatchObject({ error: "DrizzleError: Rollback", stack });
  });

  test("if a WebSocket cannot be closed", async () => {
    const path = await classicSandbox();
    const { webSocket } = await send("GET", `${path}/requests`, {
      headers: { Upgrade: "websocket" },
      documented: false,
    });
    webSocket?.accept();
    const close = webSocket?.close.bind(webSocket);
    vi.spyOn(WebSocket.prototype, "close").mockImplementation(() => {
      throw new Error("the socket is broken");
    });
    close?.(4001, "done");
    expect(await errorLine()).toMatchObject({ error: "Error: the socket is broken" });
  });
});
