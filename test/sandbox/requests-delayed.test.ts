import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { send, type Init } from "../client.ts";
import { classicSandbox } from "./sandboxes.ts";

interface Entry {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestBody?: string;
  readonly waiting?: boolean;
}

const logOf = async (path: string, query = "") => (await send("GET", `${path}/requests${query}`)).json<Entry[]>();

const DELAY = 29_000;

/** Holds waits of these durations until they are released. */
function hold(...durations: number[]) {
  const state = { isReleased: false };
  const wait = scheduler.wait.bind(scheduler);
  vi.spyOn(scheduler, "wait").mockImplementation(async (ms, options) => {
    if (!durations.includes(ms)) return wait(ms, options);
    while (!state.isReleased) await wait(1, options);
  });
  return () => {
    state.isReleased = true;
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** Sends a request that a rule or `Prefer` delays. Returns when the log has it, with a function that lets it end. */
async function beginDelayed(path: string, method: string, below: string, init: Init = {}) {
  const release = hold(DELAY);
  const response = send(method, path + below, { ...init, documented: false });
  const [entry] = await logOf(path, "?wait=30");
  const end = async () => {
    release();
    return (await response).status;
  };
  return { entry, end };
}

const JSON_PET = { id: 77, name: "Rex", photoUrls: ["a.png"] };

describe("a delayed request", () => {
  test.each<[effect: string, status: number, rule: object | undefined, headers?: Record<string, string>]>([
    ["a delay", 200, { delayMs: DELAY }],
    ["a fault response", 503, { status: 503, delayMs: DELAY }],
    ["a fault response after the request was performed", 503, { status: 503, after: true, delayMs: DELAY }],
    ["a connection that closes", 0, { break: "connection", delayMs: DELAY }],
    ["Prefer", 200, undefined, { Prefer: `delay=${DELAY / 1000}` }],
    ["Prefer with a status", 503, undefined, { Prefer: `code=503, delay=${DELAY / 1000}` }],
  ])("is logged when its delay begins, and completed under the same ID: %s", async (_, status, rule, headers = {}) => {
    const path = await classicSandbox(...(rule ? [{ ...rule, times: 1 }] : []));
    const { end } = await beginDelayed(path, "POST", "/v2/pet?a=b", { json: JSON_PET, headers });
    const requestBody = JSON.stringify(JSON_PET);
    // The body of a request that is not performed is read in the meantime.
    const [entry] = await vi.waitUntil(async () => {
      const log = await logOf(path);
      return log[0]?.requestBody === undefined ? undefined : log;
    });
    expect(entry).toEqual({
      id: 1,
      at: expect.any(Number),
      ms: 0,
      method: "POST",
      path: "/v2/pet?a=b",
      operationId: "addPet",
      status: 0,
      requestHeaders: expect.objectContaining({ "content-type": "application/json" }),
      requestBody,
      responseHeaders: {},
      waiting: true,
      ...(rule && { rule: { ...rule, times: 1 } }),
    });
    await send("GET", `${path}/v2/pet/1`);
    expect(await logOf(path)).toMatchObject([{ id: 2 }, { id: 1, waiting: true }]);
    await end();
    const [later, completed] = await logOf(path);
    expect(later).toMatchObject({ id: 2, path: "/v2/pet/1", status: 200 });
    expect(completed).toMatchObject({ id: 1, status, requestBody });
    expect(completed).not.toHaveProperty("waiting");
    if (status !== 0) expect(completed).toHaveProperty("responseHeaders.content-type", "application/json");
  });

  test("is selected by a status only when it is complete", async () => {
    const path = await classicSandbox({ delayMs: DELAY, times: 1 });
    const { end } = await beginDelayed(path, "GET", "/v2/pet/1");
    for (const status of ["1xx", "2xx", "3xx", "4xx", "5xx", "200"]) {
      expect(await logOf(path, `?status=${status}`)).toEqual([]);
    }
    expect(await logOf(path, "?operationId=getPetById")).toMatchObject([{ waiting: true }]);
    const found = logOf(path, "?status=200&wait=30");
    // A later request to the same Durable Object is handled later.
    await send("GET", path);
    await end();
    expect(await found).toMatchObject([{ id: 1, status: 200 }]);
  });

  test("is delivered twice by a WebSocket", async () => {
    const path = await classicSandbox({ operationId: "getPetById", delayMs: DELAY });
    const { webSocket } = await send("GET", `${path}/requests`, {
      headers: { Upgrade: "websocket" },
      documented: false,
    });
    const messages: unknown[] = [];
    webSocket?.addEventListener("message", ({ data }) => messages.push(JSON.parse(String(data))));
    webSocket?.accept();
    const { entry, end } = await beginDelayed(path, "GET", "/v2/pet/1");
    await send("GET", `${path}/v2/store/inventory`);
    await end();
    const [other, completed] = await logOf(path);
    await expect.poll(() => messages).toEqual([entry, other, completed]);
    webSocket?.close();
  });

  test.each([
    ["PUT", "/data", { data: "classic" }],
    ["DELETE", "/requests", undefined],
  ])("is neither kept nor completed if %s %s empties the log", async (method, below, json) => {
    const path = await classicSandbox({ delayMs: DELAY, times: 1 });
    const { end } = await beginDelayed(path, "GET", "/v2/pet/1");
    expect((await send(method, path + below, { json })).status).toBe(204);
    expect(await logOf(path)).toEqual([]);
    await send("GET", `${path}/v2/pet/2`);
    expect(await end()).toBe(200);
    expect(await logOf(path)).toMatchObject([{ id: 2, path: "/v2/pet/2" }]);
  });

  test("leaves nothing in the next sandbox with that name", async () => {
    const path = await classicSandbox({ delayMs: 30_000 });
    const response = send("GET", `${path}/v2/pet/1`, { documented: false });
    expect(await logOf(path, "?wait=30")).toMatchObject([{ id: 1, waiting: true }]);
    await send("DELETE", path);
    await send("GET", `${path}/v2/pet/2`);
    expect((await response).status).toBe(404);
    const [entry, ...others] = await logOf(path);
    expect([entry, others]).toMatchObject([{ id: 1, path: "/v2/pet/2", status: 404 }, []]);
    expect(entry).not.toHaveProperty("waiting");
  });

  test("is not completed if it has left the log", async () => {
    const path = await classicSandbox({ delayMs: DELAY, times: 1 });
    const { end } = await beginDelayed(path, "GET", "/v2/pet/1");
    for (let id = 1; id <= 200; id++) await send("GET", `${path}/v2/pet/404`);
    expect((await logOf(path)).at(-1)).toMatchObject({ id: 2 });
    await end();
    expect((await logOf(path)).at(-1)).toMatchObject({ id: 2, status: 404 });
  });

  test("is not completed if it has left the log before it was written", async () => {
    const release = hold(DELAY, 1000);
    const path = await classicSandbox({ delayMs: DELAY, times: 1 });
    const response = send("GET", `${path}/v2/pet/1`);
    await vi.waitFor(async () =>
      expect(await (await send("GET", `${path}/faults`)).json()).toMatchObject([{ used: 1 }]),
    );
    for (let id = 1; id <= 200; id++) await send("GET", `${path}/v2/pet/404`);
    release();
    expect((await response).status).toBe(200);
    const log = await logOf(path);
    expect([log.length, log.at(-1)]).toMatchObject([200, { id: 1, status: 404 }]);
  });

  test("no longer waits if its Durable Object ended", async () => {
    const path = await classicSandbox({ delayMs: DELAY });
    const { end } = await beginDelayed(path, "POST", "/v2/pet", { json: JSON_PET });
    await abortAllDurableObjects();
    expect(await end()).toBe(503);
    const [entry] = await logOf(path);
    expect(entry).toMatchObject({ id: 1, status: 0 });
    expect(entry).not.toHaveProperty("waiting");
  });
});

test("a request that arrived before the log was emptied is not logged", async () => {
  const path = await classicSandbox();
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const headers = { "Content-Type": "application/json" };
  const response = send("POST", `${path}/v2/pet`, { body: body.readable, headers });
  const writer = body.writable.getWriter();
  await writer.write(new TextEncoder().encode('{"name":"Rex",'));
  await send("DELETE", `${path}/requests`);
  await writer.write(new TextEncoder().encode('"photoUrls":[]}'));
  await writer.close();
  expect((await response).status).toBe(200);
  await send("GET", `${path}/v2/pet/1`);
  expect(await logOf(path)).toMatchObject([{ path: "/v2/pet/1" }]);
});
