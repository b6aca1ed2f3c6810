import { describe, expect, test } from "vitest";
import { sandbox, send } from "../client.ts";
import { classicSandbox, demand, readUses } from "../sandbox/sandboxes.ts";
import { call, post, request, textOf, valueOf, type Message } from "./client.ts";

const PET = { petId: 1 };

describe("a rule on an operation", () => {
  test.each([
    [{ status: 503, retryAfter: 7 }, '{"code":503,"type":"error","message":"Service unavailable"}', "7"],
    [{ status: 429 }, '{"code":429,"type":"error","message":"Too many requests"}', "60"],
    [{ status: 404 }, '{"code":404,"type":"error","message":"Pet not found"}', undefined],
    [{ status: 502, body: "<h1>Bad gateway</h1>" }, "<h1>Bad gateway</h1>", undefined],
    [{ status: 500, body: "" }, "HTTP 500", undefined],
    [{ status: 302, location: "/pet/2" }, "HTTP 302", undefined],
    [{ status: 304 }, "HTTP 304", undefined],
    [{ status: 204 }, "HTTP 204 without valid JSON", undefined],
    [{ status: 200, body: "Rex" }, "HTTP 200 without valid JSON", undefined],
    [
      { status: 200, body: "1", headers: { "content-type": "application/json" } },
      "HTTP 200 without valid JSON",
      undefined,
    ],
    [{ headers: { "content-type": "text/plain" } }, "HTTP 200 without valid JSON", undefined],
    [{ break: "json" }, "HTTP 200 without valid JSON", undefined],
    [{ break: "body" }, "No complete response", undefined],
    [{ break: "connection" }, "No complete response", undefined],
  ])("%o is an error result", async (effect, text, retryAfter) => {
    const path = await classicSandbox({ operationId: "getPetById", ...effect });
    const result = await call(`${path}/mcp`, "getPetById", PET, { revision: "2025-11-25" });
    expect(result).toEqual({
      content: [{ type: "text", text }],
      isError: true,
      ...(retryAfter !== undefined && { _meta: { "retry-after": retryAfter } }),
    });
    expect(await readUses(path)).toEqual([1]);
  });

  test("a patch changes the structured content", async () => {
    const path = await classicSandbox({ operationId: "getPetById", patch: { name: null, id: "one" } });
    const pet = await valueOf(`${path}/mcp`, "getPetById", PET);
    expect(pet).toMatchObject({ id: "one" });
    expect(pet).not.toHaveProperty("name");
  });

  test("an item of a list that is patched has the field, too", async () => {
    const path = await classicSandbox({ operationId: "findPetsByStatus", patch: { status: "lost" } });
    const { items } = await valueOf<{ items: object[] }>(`${path}/mcp`, "findPetsByStatus", { status: "sold" });
    expect(items).toMatchObject([{ status: "lost" }]);
  });

  test.each([{ delayMs: 20 }, { slowMs: 20 }, { headers: { "x-lives": "9" } }])("%o only delays", async (effect) => {
    const path = await classicSandbox({ operationId: "getPetById", ...effect });
    expect(await valueOf(`${path}/mcp`, "getPetById", PET)).toMatchObject({ id: 1 });
    expect(await readUses(path)).toEqual([1]);
  });

  test("the call of a lost response is performed", async () => {
    const path = await classicSandbox({ operationId: "deletePet", times: 1, break: "connection", after: true });
    expect(textOf(await call(`${path}/mcp`, "deletePet", PET))).toBe("No complete response");
    expect(textOf(await call(`${path}/mcp`, "deletePet", PET))).toContain('"code":404');
  });

  test("a tool of the management is no operation, so no rule applies to it", async () => {
    const path = await classicSandbox({ status: 503 });
    expect(await valueOf(`${path}/manage/mcp`, "getRules")).toEqual({ items: [{ status: 503, used: 0 }] });
  });
});

describe("a rule on the MCP request", () => {
  test.each([
    [{ status: 401 }, 401],
    [{ status: 404 }, 404],
    [{ status: 429, retryAfter: 3 }, 429],
    [{ status: 503 }, 503],
    [{ status: 202, body: "" }, 202],
    [{ status: 307, location: "/mcp" }, 307],
  ])("%o replaces the response", async (effect, status) => {
    const path = await classicSandbox({ operationId: "mcp", ...effect });
    const init = { linked: false };
    const response = await post(`${path}/mcp`, "tools/call", { name: "deletePet", arguments: PET }, init);
    expect(response.status).toBe(status);
    expect(await readUses(path)).toEqual([1]);
    // The tool was not called.
    expect((await send("GET", `${path}/v2/pet/1`)).status).toBe(200);
  });

  test("a fault response looks like an error of the service", async () => {
    const path = await classicSandbox({ operationId: "mcp", status: 429 }, { operationId: "mcp", status: 405 });
    const response = await post(`${path}/mcp`, "tools/list");
    expect(response.headers.get("retry-after")).toBe("60");
    expect(await response.json()).toEqual({ code: 429, type: "error", message: "Too many requests" });
    await demand(path, { operationId: "mcp", status: 405 });
    expect((await post(`${path}/mcp`, "tools/list")).headers.get("allow")).toBe("POST, OPTIONS");
  });

  test("a patch changes the message, such as its ID", async () => {
    const path = await classicSandbox({ operationId: "mcp", patch: { id: 99, result: { tools: null } } });
    const response = await post(`${path}/mcp`, "tools/list");
    const { id, result } = await response.json<Message>();
    expect(id).toBe(99);
    expect(result).not.toHaveProperty("tools");
  });

  test("half of a message, a broken body, and a broken connection", async () => {
    const path = await classicSandbox({ operationId: "mcp", break: "json" });
    const half = await (await post(`${path}/mcp`, "tools/list")).text();
    expect(half).toMatch(/^\{"jsonrpc":"2.0"/);
    expect(() => JSON.parse(half) as unknown).toThrow(SyntaxError);
    for (const broken of ["body", "connection"]) {
      await demand(path, { operationId: "mcp", break: broken });
      const response = await post(`${path}/mcp`, "tools/list");
      await expect(response.text()).rejects.toThrow(/rule/);
    }
  });

  test.each([{ delayMs: 20 }, { slowMs: 20 }])("%o delays it", async (effect) => {
    const path = await classicSandbox({ operationId: "mcp", ...effect });
    expect(await valueOf(`${path}/mcp`, "getPetById", PET)).toMatchObject({ id: 1 });
    expect(await readUses(path)).toEqual([1]);
  });

  test("match.body selects its method or its tool", async () => {
    const path = await classicSandbox(
      { operationId: "mcp", match: { body: { method: "tools/list" } }, status: 503 },
      { operationId: "mcp", match: { body: { method: "tools/call", params: { name: "deletePet" } } }, status: 502 },
    );
    expect((await post(`${path}/mcp`, "server/discover")).status).toBe(200);
    expect((await post(`${path}/mcp`, "tools/list")).status).toBe(503);
    expect((await post(`${path}/mcp`, "tools/call", { name: "getPetById", arguments: PET })).status).toBe(200);
    expect((await post(`${path}/mcp`, "tools/call", { name: "deletePet", arguments: PET })).status).toBe(502);
  });

  test("a rule without an operation applies to the MCP request, and again to the request of the tool", async () => {
    const path = await classicSandbox({ times: 2, headers: { "x-seen": "yes" } }, { times: 1, status: 500 });
    const response = await post(`${path}/mcp`, "tools/call", { name: "getPetById", arguments: PET });
    expect(response.headers.get("x-seen")).toBe("yes");
    expect(await readUses(path)).toEqual([2, 0]);
    await demand(path, { method: "GET", status: 500 });
    const get = await post(`${path}/mcp`, "tools/call", { name: "getPetById", arguments: PET });
    expect(await get.json()).toMatchObject({ result: { isError: true } });
  });

  test("a failed negotiation of the wrong method uses no rule", async () => {
    const path = await classicSandbox({ times: 1, status: 500 });
    expect((await send("GET", `${path}/mcp`)).status).toBe(405);
    expect(await readUses(path)).toEqual([0]);
  });
});

describe("a rule on the management", () => {
  test("applies only with its operation", async () => {
    const path = await classicSandbox({ status: 503 });
    expect(await request(`${path}/manage/mcp`, "tools/list")).toHaveProperty("tools");
    expect((await send("GET", `${path}/manage/mcp`)).status).toBe(405);
    await demand(path, { operationId: "manageMcp", match: { body: { params: { name: "getRules" } } }, status: 503 });
    expect((await post(`${path}/manage/mcp`, "tools/call", { name: "getRules" })).status).toBe(503);
    expect((await post(`${path}/mcp`, "tools/list")).status).toBe(200);
    expect(await readUses(path)).toEqual([1]);
  });
});

describe("a rule for MCP is checked", () => {
  test.each([
    [{ operationId: "mcp", method: "GET" }, "operationId"],
    [{ operationId: "manageMcp", method: "PUT" }, "operationId"],
    [{ operationId: "mcp", path: "/pet" }, "operationId"],
    [{ path: "/mcp" }, "path"],
    [{ operationId: "manageMcp", path: "/manage/mcp" }, "path"],
  ])("%o can never apply", async (selection, field) => {
    const response = await send("PUT", `${sandbox()}/faults`, { json: [{ ...selection, status: 503 }] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path: `0.${field}` }] });
  });
});

describe("Prefer", () => {
  test("applies to the request of the tool, not to the MCP request", async () => {
    const path = await classicSandbox();
    const headers = { Prefer: "code=503, delay=0.02" };
    const response = await post(`${path}/mcp`, "tools/call", { name: "getPetById", arguments: PET }, { headers });
    expect([response.status, response.headers.get("preference-applied")]).toEqual([200, null]);
    expect(await response.json()).toMatchObject({ result: { isError: true, _meta: { "retry-after": "1" } } });
    expect((await post(`${path}/mcp`, "tools/list", {}, { headers })).status).toBe(200);
  });
});
