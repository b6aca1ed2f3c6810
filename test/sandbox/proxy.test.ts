import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PERMANENT, TRANSIENT, failing, type Fault } from "../bindings.ts";
import { sandbox, send, type Init } from "../client.ts";
import { classicSandbox } from "./sandboxes.ts";

const lines: string[] = [];

beforeEach(() => {
  lines.length = 0;
  for (const method of ["log", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => void lines.push(line));
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Headers of every response of the service. */
const COMMON = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "cross-origin",
  date: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/) as string,
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
};

/** Sends a request of a page of another origin. @returns the response, which is logged once, under its own id */
async function ask(method: string, path: string, init: Init = {}): Promise<Response> {
  lines.length = 0;
  const headers = { Origin: "https://shop.example", ...init.headers };
  const response = await send(method, path, { ...init, headers, documented: false });
  const requestId = response.headers.get("x-request-id");
  expect(requestId).toMatch(/^[\w-]{8,}$/);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { requestId, method, status: response.status },
  ]);
  return response;
}

/** A header that several middlewares set would be there twice, in one value. */
function expectCommon({ headers }: Response, hasCors: boolean) {
  expect(Object.fromEntries(headers)).toMatchObject(COMMON);
  expect(headers.get("access-control-allow-origin")).toBe(hasCors ? "*" : null);
}

const PREFLIGHT = { headers: { "Access-Control-Request-Method": "PUT" } };

const PAGE = { headers: { Accept: "text/html" } };

describe("a sandbox's response has each header once, and one log line:", () => {
  test.each<[method: string, below: string, status: number, hasCors: boolean, init?: Init]>([
    ["GET", "/v2/pet/1", 200, true],
    ["HEAD", "/api/v3/pet/1", 200, true],
    ["GET", "/v2/pet/findByStatus?status=sold", 200, true],
    ["GET", "/v2/pet/x", 400, true],
    ["GET", "/v2/nowhere", 404, true],
    ["PATCH", "/api/v3/pet/1", 405, true],
    ["OPTIONS", "/v2/pet/1", 204, false],
    ["OPTIONS", "/v2/pet/1", 204, true, PREFLIGHT],
    ["GET", "/v2/openapi.json", 200, true],
    ["GET", "", 200, false],
    ["GET", "/data", 200, false],
    ["PUT", "/faults", 204, false, { json: [] }],
    ["PUT", "/access", 400, false, { json: {} }],
    ["PATCH", "/data", 405, false],
    ["OPTIONS", "/data", 204, false, PREFLIGHT],
    ["GET", "/nowhere", 404, false],
    ["GET", "/nowhere", 404, false, PAGE],
  ])("%s …%s", async (method, below, status, hasCors, init) => {
    const response = await ask(method, (await classicSandbox()) + below, init);
    expect(response.status).toBe(status);
    expectCommon(response, hasCors);
  });
});

const exceeded: RateLimit = { limit: async () => ({ success: false }) };

const down = failing(env.SANDBOXES, { call: () => ({ when: "before", error: PERMANENT }) });

describe("so does the Worker's own response to a request for a sandbox:", () => {
  test.each<[what: string, path: string, status: number, init: Init]>([
    ["too many requests", sandbox(), 429, { env: { RATE_LIMITS: "on", REQUESTS: exceeded } }],
    ["a missing setting", sandbox(), 503, { env: { PASSWORD_KEY: "" } }],
    ["an object that cannot be reached", sandbox(), 503, { env: { SANDBOXES: down } }],
    ["no sandboxes", sandbox(), 404, { env: { SANDBOX_CREATION: "nobody" } }],
    ["an invalid name", "/sandboxes/short", 404, {}],
    ["a page", sandbox(), 302, PAGE],
    ["a page with a slash", `${sandbox()}/`, 200, PAGE],
  ])("%s", async (_, path, status, init) => {
    const response = await ask("GET", path, init);
    expect(response.status).toBe(status);
    expectCommon(response, false);
    if (path.endsWith("/") || status === 302) return;
    for (const below of ["/v2/pet/1", "/api/v3/pet/1"]) {
      const rejected = await ask("GET", path + below, init);
      expect(rejected.status).toBe(status);
      expectCommon(rejected, true);
    }
  });

  test("429, counted once", async () => {
    const keys: string[] = [];
    const limit = async ({ key }: RateLimitOptions) => ({ success: keys.push(key) === 0 });
    await ask("GET", `${sandbox()}/v2/pet/1`, { env: { RATE_LIMITS: "on", REQUESTS: { limit } } });
    expect(keys).toHaveLength(1);
  });

  test("and a limiter's error has its own line with the ID of the response", async () => {
    const REQUESTS: RateLimit = { limit: async () => Promise.reject(new Error("the limiter is down")) };
    const response = await send("GET", `${sandbox()}/v2/pet/1`, { env: { RATE_LIMITS: "on", REQUESTS } });
    const requestId = response.headers.get("x-request-id");
    const limiterError = "Error: the limiter is down";
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { requestId, status: 404, operationId: "getPetById" },
      { requestId, status: 404, limiterError },
    ]);
  });

  test("an error of POST /sandboxes", async () => {
    const response = await send("POST", "/sandboxes", { json: { data: "none" } });
    expect(response.status).toBe(400);
    expectCommon(response, false);
  });
});

describe("a request whose call to the Durable Object fails once", () => {
  test.each<[string, number, number]>([
    ["GET", 200, 2],
    ["HEAD", 200, 2],
    ["POST", 503, 1],
    ["PUT", 503, 1],
    ["DELETE", 503, 1],
  ])("is repeated only if it is a read: %s", async (method, status, most) => {
    const path = `${await classicSandbox()}/v2/pet/1`;
    let calls = 0;
    const fault: Fault = { when: "before", error: TRANSIENT };
    const SANDBOXES = failing(env.SANDBOXES, { call: () => (calls++ === 0 ? fault : undefined) });
    expect((await ask(method, path, { env: { SANDBOXES } })).status).toBe(status);
    expect(calls).toBe(most);
  });
});
