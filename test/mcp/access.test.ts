import { describe, expect, test } from "vitest";
import { createUser, getJson, logIn, sandbox, send } from "../client.ts";
import { classicSandbox, configure, protect, sandboxExists } from "../sandbox/sandboxes.ts";
import { call, post, textOf, valueOf } from "./client.ts";

const KEY = "the key of this sandbox";
const addPet = { body: { name: "Rex", photoUrls: [] } };

interface Entry {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly status: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: string;
  readonly responseBody?: string;
  readonly rule?: object;
}

const requestsOf = async (path: string, query = "") => getJson<readonly Entry[]>(`${path}/requests${query}`);

describe("access", () => {
  test("a protected sandbox requires a credential of the MCP request", async () => {
    const path = await protect(sandbox(), KEY);
    const endpoint = `${path}/mcp`;
    expect(textOf(await call(endpoint, "addPet", addPet))).toContain('"code":401');
    for (const name of ["api_key", "X-API-Key"]) {
      const wrong = await call(endpoint, "addPet", addPet, { headers: { [name]: "special-key" } });
      expect(textOf(wrong)).toContain('"code":401');
      expect(await valueOf(endpoint, "addPet", addPet, { headers: { [name]: KEY } })).toMatchObject({ name: "Rex" });
    }
  });

  test("a session is the token that loginUser returns, and a cookie is not passed on", async () => {
    const path = await protect(sandbox(), KEY);
    const base = `${path}/v2`;
    const user = await createUser({}, { base });
    const { message } = await valueOf(`${path}/mcp`, "loginUser", { username: user.username, password: user.password });
    const token = String(message).replace("logged in user session:", "");
    const headers = { Authorization: `Bearer ${token}` };
    const { id: petId } = await valueOf(`${path}/mcp`, "addPet", addPet, { headers });
    const other = { Authorization: `Bearer ${await logIn(await createUser({}, { base }), { base })}` };
    const foreign = await call(`${path}/mcp`, "deletePet", { petId }, { headers: other });
    expect(textOf(foreign)).toContain('"code":403');
    const cookie = await call(`${path}/mcp`, "deletePet", { petId }, { headers: { Cookie: `session=${token}` } });
    expect(textOf(cookie)).toContain('"code":401');
    await valueOf(`${path}/mcp`, "logoutUser", {}, { headers });
    expect(textOf(await call(`${path}/mcp`, "deletePet", { petId }, { headers }))).toContain('"code":401');
  });

  test("the management stays open, as its routes do", async () => {
    const path = await protect(sandbox(), KEY);
    expect(await valueOf(`${path}/manage/mcp`, "getData")).toEqual({ pets: [], orders: [], users: [] });
  });

  test("password attempts are limited by the client's address", async () => {
    const keys: string[] = [];
    const limit = async ({ key }: { readonly key: string }) => {
      keys.push(key);
      return { success: false };
    };
    const path = sandbox();
    await configure(path, { RATE_LIMITS: "on", LOGINS: { limit } });
    await protect(path, KEY);
    const headers = { "CF-Connecting-IP": "203.0.113.7" };
    const result = await call(`${path}/mcp`, "loginUser", { username: "ada", password: "wrong" }, { headers });
    expect(textOf(result)).toContain('"code":429');
    expect(keys).toEqual([expect.stringMatching(/203\.0\.113\.7 ada$/)]);
  });

  test("the client's address and an idempotency key are passed on, other headers are not", async () => {
    const path = sandbox();
    const headers = { "Idempotency-Key": "once", "If-Match": '"1"', "X-Other": "1", "User-Agent": "agent" };
    await valueOf(`${path}/mcp`, "addPet", addPet, { headers });
    const [{ requestHeaders } = { requestHeaders: {} }] = await requestsOf(path, "?operationId=addPet");
    expect(requestHeaders).toEqual({ "idempotency-key": "once", "content-type": "application/json" });
  });
});

describe("creation", () => {
  test("the first request creates a sandbox, as a request to its API does", async () => {
    const path = sandbox();
    expect((await post(`${path}/mcp`, "tools/list")).status).toBe(200);
    expect(await sandboxExists(path)).toBe(true);
  });

  test("of the management, only tools that write create it", async () => {
    const path = sandbox();
    const manage = `${path}/manage/mcp`;
    expect((await post(manage, "tools/list")).status).toBe(200);
    expect((await call(manage, "getData")).isError).toBe(true);
    expect(await sandboxExists(path)).toBe(false);
    await call(manage, "replaceData", { body: { data: "classic" } });
    expect(await getJson(path)).toMatchObject({ pets: 10 });
  });

  test("where creation requires the API key, so does the first request", async () => {
    const path = sandbox();
    const API_KEY = "an-api-key-of-the-tests";
    await configure(path, { SANDBOX_CREATION: "key", API_KEY });
    expect((await post(`${path}/mcp`, "tools/list")).status).toBe(404);
    const replace = { body: { data: "classic" } };
    expect(textOf(await call(`${path}/manage/mcp`, "replaceData", replace))).toContain("Sandbox not found");
    const headers = { "X-API-Key": API_KEY };
    expect((await call(`${path}/manage/mcp`, "replaceData", replace, { headers })).isError).toBeUndefined();
    expect(await valueOf(`${path}/mcp`, "getInventory")).toEqual({ available: 7, pending: 2, sold: 1 });
  });

  test("nobody may create sandboxes: 404", async () => {
    const response = await post(`${sandbox()}/mcp`, "tools/list", {}, { env: { SANDBOX_CREATION: "nobody" } });
    expect(response.status).toBe(404);
  });

  test("an invalid name returns 404", async () => {
    expect((await post("/sandboxes/short/mcp", "tools/list")).status).toBe(404);
  });
});

describe("Origin", () => {
  test.each([
    ["http://localhost:8787", "http://localhost:8787", 200],
    ["http://127.0.0.1:8787", "http://127.0.0.1:8787", 200],
    ["http://[::1]:8787", "http://[::1]:8787", 200],
    ["http://localhost:8787", "http://localhost:3000", 403],
    ["http://localhost:8787", "https://localhost:8787", 403],
    ["http://localhost:8787", "http://evil.example", 403],
    ["http://localhost:8787", "null", 403],
    // With DNS rebinding, the host and the origin are both the attacker's.
    ["http://evil.example:8787", "http://evil.example:8787", 403],
    ["http://127.0.0.1.evil.example", "http://127.0.0.1.evil.example", 403],
    ["http://localhost.evil.example", "http://localhost.evil.example", 403],
  ])("to %s from %s returns %i", async (host, origin, status) => {
    for (const endpoint of ["mcp", "manage/mcp"]) {
      const path = sandbox();
      const response = await post(`${host}${path}/${endpoint}`, "tools/list", {}, { headers: { Origin: origin } });
      expect(response.status).toBe(status);
      if (status === 403) expect(await sandboxExists(path)).toBe(false);
    }
  });

  test("behind a proxy, it must be that of PUBLIC_URL", async () => {
    const path = sandbox();
    await configure(path, { PUBLIC_URL: "https://petstore.example.com/base" });
    const from = async (origin: string) =>
      (await post(`${path}/mcp`, "tools/list", {}, { headers: { Origin: origin } })).status;
    expect(await from("https://petstore.example.com")).toBe(200);
    expect(await from("http://petstore.test")).toBe(403);
  });
});

describe("the request log", () => {
  test("a call is two entries: the request of the tool, and the MCP request around it", async () => {
    const path = await classicSandbox();
    await valueOf(`${path}/mcp`, "findPetsByStatus", { status: ["sold"], limit: 1 });
    const entries = await requestsOf(path);
    expect(entries).toMatchObject([
      { method: "POST", path: "/mcp", operationId: "mcp", status: 200 },
      { method: "GET", path: "/v2/pet/findByStatus?status=sold&limit=1", operationId: "findPetsByStatus", status: 200 },
    ]);
    expect(entries[0]?.requestBody).toContain('"name":"findPetsByStatus"');
    expect(entries[0]?.responseBody).toContain('"structuredContent"');
    expect(await requestsOf(path, "?operationId=mcp")).toHaveLength(1);
  });

  test("credentials of both are masked", async () => {
    const path = await classicSandbox();
    await valueOf(`${path}/mcp`, "getInventory", {}, { headers: { "X-API-Key": "secret", Authorization: "Bearer x" } });
    for (const { requestHeaders } of await requestsOf(path)) {
      expect(requestHeaders).toMatchObject({ "x-api-key": "***", authorization: "***" });
    }
  });

  test("both entries count toward the 200", async () => {
    const path = await classicSandbox();
    for (let calls = 0; calls < 101; calls++) await post(`${path}/mcp`, "tools/call", { name: "getInventory" });
    const entries = await requestsOf(path);
    expect(entries).toHaveLength(200);
    expect(entries.filter(({ operationId }) => operationId === "mcp")).toHaveLength(100);
  });

  test("a rule is in the entry of the request that it changed", async () => {
    const rule = { operationId: "mcp", status: 503 };
    const path = await classicSandbox(rule);
    await post(`${path}/mcp`, "tools/list");
    expect(await requestsOf(path)).toMatchObject([{ operationId: "mcp", status: 503, rule }]);
  });

  test("of the management, only requests that a rule changed are logged", async () => {
    const rule = { operationId: "manageMcp", times: 1, break: "connection" };
    const path = await classicSandbox(rule);
    await expect((await post(`${path}/manage/mcp`, "tools/list")).text()).rejects.toThrow(/rule/);
    await valueOf(`${path}/manage/mcp`, "getRules");
    expect(await requestsOf(path)).toMatchObject([{ path: "/manage/mcp", operationId: "manageMcp", status: 0, rule }]);
  });

  test("other methods are not logged", async () => {
    const path = await classicSandbox();
    expect((await send("GET", `${path}/mcp`)).status).toBe(405);
    expect(await requestsOf(path)).toEqual([]);
  });
});
