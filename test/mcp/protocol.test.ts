import { describe, expect, test } from "vitest";
import { sandbox, send } from "../client.ts";
import { sandboxExists } from "../sandbox/sandboxes.ts";
import { REVISIONS, call, post, request, required, valueOf, type Message } from "./client.ts";

const META = "io.modelcontextprotocol/";

/** Returns an array in an array, and so on. */
const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as object;

/** Sends any body to the endpoint of a new sandbox. */
const sendBody = async (body: string, headers: HeadersInit = { "Content-Type": "application/json" }) =>
  send("POST", `${sandbox()}/mcp`, { body, headers });

describe("revisions with a handshake", () => {
  test.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
    ["1.0", "2025-11-25"],
  ])("a client that initializes with %s gets %s", async (protocolVersion, negotiated) => {
    const json = {
      jsonrpc: "2.0",
      id: "first",
      method: "initialize",
      params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } },
    };
    const response = await send("POST", `${sandbox()}/mcp`, { json });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.has("mcp-session-id")).toBe(false);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: "first",
      result: {
        protocolVersion: negotiated,
        capabilities: { tools: {} },
        serverInfo: { name: "pet-store", title: "Pet Store Service", version: "1.0.0" },
        instructions: expect.any(String) as string,
      },
    });
  });

  test.each(["2025-11-25", "2025-06-18"] as const)("%s has ping, and results without a type", async (revision) => {
    const endpoint = `${sandbox()}/mcp`;
    expect(await request(endpoint, "ping", {}, { revision })).toEqual({});
    expect(Object.keys(await request(endpoint, "tools/list", {}, { revision }))).toEqual(["tools"]);
    expect(Object.keys(await call(endpoint, "getInventory", {}, { revision }))).toEqual([
      "content",
      "structuredContent",
    ]);
  });

  test("an unknown method is an error with the status 200", async () => {
    const response = await post(`${sandbox()}/mcp`, "resources/list", {}, { revision: "2025-11-25" });
    expect(response.status).toBe(200);
    const { error } = await response.json<Message>();
    expect(error).toEqual({ code: -32601, message: "Unknown method: resources/list" });
  });

  test("initialize requires a version", async () => {
    const response = await send("POST", `${sandbox()}/mcp`, { json: { jsonrpc: "2.0", id: 1, method: "initialize" } });
    expect((await response.json<Message>()).error?.code).toBe(-32602);
  });
});

describe("2026-07-28", () => {
  test("describes the server", async () => {
    expect(await request(`${sandbox()}/mcp`, "server/discover")).toEqual({
      resultType: "complete",
      supportedVersions: REVISIONS,
      capabilities: { tools: {} },
      instructions: expect.any(String) as string,
      ttlMs: 0,
      cacheScope: "private",
      _meta: { [`${META}serverInfo`]: { name: "pet-store", title: "Pet Store Service", version: "1.0.0" } },
    });
  });

  test("results have a type and the server's name, and a list is not cached, because a cache would hide rules", async () => {
    const endpoint = `${sandbox()}/mcp`;
    const listed = await request(endpoint, "tools/list");
    expect(listed).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
    const called = await call(endpoint, "getInventory");
    expect(called).toMatchObject({ resultType: "complete", _meta: { [`${META}serverInfo`]: { name: "pet-store" } } });
  });

  test.each(["initialize", "ping", "resources/list", "constructor"])("the method %s returns 404", async (method) => {
    const response = await post(`${sandbox()}/mcp`, method);
    expect(response.status).toBe(404);
    expect((await response.json<Message>()).error).toEqual({ code: -32601, message: `Unknown method: ${method}` });
  });

  test.each([
    ["Mcp-Method", "tools/list"],
    ["Mcp-Method", null],
    ["Mcp-Name", "getOrderById"],
    ["Mcp-Name", null],
    ["Mcp-Name", "=?base64?Z2V0T3JkZXJCeUlk?="],
    ["MCP-Protocol-Version", "2025-11-25"],
    ["MCP-Protocol-Version", null],
  ])("the header %s with the value %s differs from the message", async (name, value) => {
    const { headers, params } = required("2026-07-28", "tools/call", { name: "getInventory" });
    const sent = new Headers(headers);
    if (value === null) sent.delete(name);
    else sent.set(name, value);
    const json = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
    const response = await send("POST", `${sandbox()}/mcp`, { json, headers: sent });
    expect(response.status).toBe(400);
    const { id, error } = await response.json<Message>();
    expect([id, error?.code]).toEqual([7, -32020]);
    expect(error?.message).toContain(name);
  });

  test("the name of a tool can be sent in base64", async () => {
    const headers = { "Mcp-Name": `=?base64?${btoa("getInventory")}?=` };
    expect(await valueOf(`${sandbox()}/mcp`, "getInventory", {}, { headers })).toHaveProperty("available");
    const response = await post(
      `${sandbox()}/mcp`,
      "tools/call",
      { name: "Łódź" },
      {
        headers: { "Mcp-Name": "=?base64?xYHDs2TFug==?=" },
      },
    );
    expect((await response.json<Message>()).error).toEqual({ code: -32602, message: "Unknown tool: Łódź" });
  });

  test.each([
    [{}],
    [{ [`${META}protocolVersion`]: "2026-07-28" }],
    [{ [`${META}protocolVersion`]: "2026-07-28", [`${META}clientCapabilities`]: 1 }],
  ])("a request with the metadata %o is malformed", async (meta) => {
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" };
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } };
    const response = await send("POST", `${sandbox()}/mcp`, { json, headers });
    expect(response.status).toBe(400);
    expect((await response.json<Message>()).error?.code).toBe(-32602);
  });
});

test.each([null, 1, "2025-11-25"])(
  "a request whose metadata names the revision %j, but the header another, is rejected",
  async (declared) => {
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" };
    const meta = { [`${META}protocolVersion`]: declared, [`${META}clientCapabilities`]: {} };
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } };
    const response = await send("POST", `${sandbox()}/mcp`, { json, headers });
    expect(response.status).toBe(400);
    expect((await response.json<Message>()).error?.code).toBe(-32020);
  },
);

test.each(["2025-03-26", "2024-11-05", "1900-01-01"])("the revision %s is not supported", async (requested) => {
  const meta = { [`${META}protocolVersion`]: requested, [`${META}clientCapabilities`]: {} };
  for (const params of [{}, { _meta: meta }]) {
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list", params };
    const headers = { "MCP-Protocol-Version": requested };
    const response = await send("POST", `${sandbox()}/mcp`, { json, headers });
    expect(response.status).toBe(400);
    const { error } = await response.json<Message>();
    expect(error).toEqual({
      code: -32022,
      message: "Unsupported protocol version",
      data: { supported: REVISIONS, requested },
    });
  }
});

test("a request without a revision is rejected, because only revisions before 2025-06-18 have no header", async () => {
  const response = await sendBody('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  expect(response.status).toBe(400);
  const { error } = await response.json<Message>();
  expect(error).toEqual({
    code: -32020,
    message: "MCP-Protocol-Version is required, and must be the revision in _meta",
  });
});

test.each(REVISIONS)("a notification of %s gets 202 without a body", async (revision) => {
  const json = { jsonrpc: "2.0", method: "notifications/initialized" };
  const headers = { "MCP-Protocol-Version": revision };
  const response = await send("POST", `${sandbox()}/mcp`, { json, headers });
  expect([response.status, await response.text()]).toEqual([202, ""]);
  expect(response.headers.has("content-type")).toBe(false);
});

test("a notification of another revision is rejected", async () => {
  const json = { jsonrpc: "2.0", method: "notifications/initialized" };
  const response = await send("POST", `${sandbox()}/mcp`, { json, headers: { "MCP-Protocol-Version": "2025-03-26" } });
  expect(response.status).toBe(400);
});

test.each([
  ["", -32700],
  ["{", -32700],
  ["[]", -32600],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
  ['"ping"', -32600],
  ["null", -32600],
  ['{"id":1,"method":"ping"}', -32600],
  ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":1}', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":1}', -32600],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
  ['{"jsonrpc":"2.0","id":1,"result":{}}', -32600],
])("the body %s is the error %i", async (body, code) => {
  const response = await sendBody(body);
  expect(response.status).toBe(400);
  expect((await response.json<Message>()).error?.code).toBe(code);
});

test("a message has at most 40 levels, and so the deepest rule fits", async () => {
  const path = sandbox();
  const rule = { operationId: "addPet", match: { body: nested(32) }, status: 503 };
  expect((await call(`${path}/manage/mcp`, "setRules", { body: [rule] })).isError).toBeUndefined();
  const deep = await post(`${path}/mcp`, "tools/call", { name: "addPet", arguments: { body: nested(38) } });
  const error = { code: -32600, message: "The body must have at most 40 levels" };
  expect([deep.status, await deep.json()]).toEqual([400, { jsonrpc: "2.0", id: 1, error }]);
});

test("a response does not repeat an invalid ID, which may have any number of levels", async () => {
  const response = await sendBody(`{"jsonrpc":"2.0","id":${"[".repeat(50_000)}${"]".repeat(50_000)},"method":"ping"}`);
  const error = { code: -32600, message: "The body must have at most 40 levels" };
  expect([response.status, await response.json()]).toEqual([400, { jsonrpc: "2.0", error }]);
});

test("a message must be JSON of at most 8 MiB", async () => {
  expect((await sendBody("{}", { "Content-Type": "text/plain" })).status).toBe(415);
  expect((await sendBody(" ".repeat(8 * 1024 * 1024 + 1))).status).toBe(413);
});

test.each(["GET", "HEAD", "PUT", "DELETE"])("%s returns 405, and creates no sandbox", async (method) => {
  const path = sandbox();
  for (const endpoint of [`${path}/mcp`, `${path}/manage/mcp`]) {
    const response = await send(method, endpoint);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  }
  expect(await sandboxExists(path)).toBe(false);
});

test("OPTIONS lists the methods, without CORS", async () => {
  for (const endpoint of ["mcp", "manage/mcp"]) {
    const headers = { Origin: "https://example.com", "Access-Control-Request-Method": "POST" };
    const response = await send("OPTIONS", `${sandbox()}/${endpoint}`, { headers });
    expect([response.status, response.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  }
});

test("there is only one page of tools", async () => {
  const response = await post(`${sandbox()}/mcp`, "tools/list", { cursor: "2" });
  expect((await response.json<Message>()).error).toEqual({ code: -32602, message: "There is only one page" });
});

test.each([["getPet"], ["constructor"]])("the tool %s is unknown", async (name) => {
  const response = await post(`${sandbox()}/mcp`, "tools/call", { name, arguments: {} }, { revision: "2025-11-25" });
  expect(response.status).toBe(200);
  expect((await response.json<Message>()).error).toEqual({ code: -32602, message: `Unknown tool: ${name}` });
});

test.each([[undefined], [1], [{ toString: 1 }]])("the name %j is not that of a tool", async (name) => {
  const response = await post(`${sandbox()}/mcp`, "tools/call", { name, arguments: {} }, { revision: "2025-11-25" });
  expect(response.status).toBe(200);
  expect((await response.json<Message>()).error).toEqual({ code: -32602, message: "name must be a string" });
});

test("the arguments of a tool must be an object", async () => {
  const response = await post(`${sandbox()}/mcp`, "tools/call", { name: "getInventory", arguments: [] });
  expect((await response.json<Message>()).error).toEqual({ code: -32602, message: "arguments must be an object" });
});
