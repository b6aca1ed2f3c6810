import { Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { getJson, sandbox, send, type ShownPet } from "../client.ts";
import { findJsonBody, listOperations, type Document, type Operation } from "../documents/operations.ts";
import { classicSandbox, demand } from "../sandbox/sandboxes.ts";
import { call, request, textOf, valueOf, type ListedTool } from "./client.ts";

const PNG = "iVBORw0KGgo=";

const toolsOf = async (endpoint: string): Promise<readonly ListedTool[]> =>
  (await request(endpoint, "tools/list")).tools ?? [];

/** Checks a value against a schema. */
const errorsOf = (schema: object, value: unknown) => new Validator(schema, "2020-12", false).validate(value).errors;

/** Returns the arguments of a tool from the examples of the document. */
function examplesOf(operation: Operation): Record<string, unknown> {
  const parameters = (operation.parameters ?? []).filter((each) => each.in !== "header");
  const form = operation.requestBody?.content["multipart/form-data"];
  const body = findJsonBody(operation)?.example ?? form?.examples?.example.value;
  return { ...Object.fromEntries(parameters.map(({ name, example }) => [name, example])), ...(body ? { body } : {}) };
}

/** Uploads a file to a pet. @returns the name of the file */
async function upload(endpoint: string, petId: number, file: string): Promise<string> {
  await valueOf(endpoint, "uploadFile", { petId, body: { file } });
  const { photoUrls } = await valueOf<ShownPet>(endpoint, "getPetById", { petId });
  return String(photoUrls).replace(/.*\//, "");
}

describe("the operations", () => {
  test("each is a tool with a valid schema, in the order of the document", async () => {
    const operations = listOperations(await getJson<Document>("/v2/openapi.json"));
    const tools = await toolsOf(`${sandbox()}/mcp`);
    expect(tools.map(({ name }) => name)).toEqual(operations.map(({ operationId }) => operationId));
    for (const { name, inputSchema, outputSchema = {} } of tools) {
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(JSON.stringify([inputSchema, outputSchema]), name).not.toMatch(/\$ref|"format"/);
    }
  });

  test("each succeeds with the examples of the document, as its schemas say", async () => {
    const endpoint = `${await classicSandbox()}/mcp`;
    const tools = new Map((await toolsOf(endpoint)).map((tool) => [tool.name, tool]));
    for (const operation of listOperations(await getJson<Document>("/v2/openapi.json"))) {
      const { operationId } = operation;
      const sent = examplesOf(operation);
      if (operationId === "uploadFile") sent["body"] = { file: PNG, additionalMetadata: "at the lake" };
      if (operationId === "getPetImage") sent["name"] = await upload(endpoint, 1, PNG);
      const { inputSchema = {}, outputSchema } = tools.get(operationId) ?? {};
      expect(errorsOf(inputSchema, sent), operationId).toEqual([]);
      const result = await call(endpoint, operationId, sent);
      expect(result.isError, `${operationId}: ${textOf(result)}`).toBeUndefined();
      if (outputSchema) expect(errorsOf(outputSchema, result.structuredContent), operationId).toEqual([]);
      if (outputSchema) expect(textOf(result)).toBe(JSON.stringify(result.structuredContent));
      else expect(result.structuredContent, operationId).toBeUndefined();
    }
  });

  test("the hints follow the method, except for login and logout", async () => {
    const hints = Object.fromEntries(
      (await toolsOf(`${sandbox()}/mcp`)).map(({ name, annotations }) => {
        const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
        return [name, [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]];
      }),
    );
    expect(hints).toMatchObject({
      getPetById: [true, false, true, false],
      addPet: [false, false, false, false],
      updatePet: [false, true, true, false],
      updatePetWithForm: [false, true, false, false],
      deletePet: [false, true, true, false],
      loginUser: [false, false, false, false],
      logoutUser: [false, true, true, false],
    });
  });

  test("the tools take at most 50 KB", async () => {
    const listed = await toolsOf(`${sandbox()}/mcp`);
    expect(JSON.stringify(listed).length).toBeLessThan(50_000);
  });
});

describe("arguments", () => {
  test.each([
    ["getPetById", { id: 1 }, "id is not an argument; petId is required"],
    ["getPetById", { petId: 1, body: {} }, "body is not an argument"],
    ["getPetById", { petId: null }, "petId is required"],
    ["getPetById", { petId: {} }, "petId must be a string, a number, or a boolean"],
    ["getPetById", { petId: 1, constructor: 1 }, "constructor is not an argument"],
    ["addPet", {}, "body is required"],
    ["getUserByName", { username: ".." }, 'username must not be empty, "." or ".."'],
    ["deleteUser", { username: "." }, 'username must not be empty, "." or ".."'],
    ["deleteUser", { username: "" }, 'username must not be empty, "." or ".."'],
    ["findPetsByStatus", { status: [["sold"]] }, "status must be a string, a number, or a boolean"],
    ["addPet", { body: {}, "Idempotency-Key": "a\nb" }, "Idempotency-Key must be printable ASCII"],
    ["uploadFile", { petId: 1, body: [] }, "body must be an object"],
    ["uploadFile", { petId: 1, body: { file: "*" } }, "body.file must be base64"],
    ["uploadFile", { petId: 1, body: { file: 1.5 } }, "body.file must be base64"],
    ["updatePetWithForm", { petId: 1, body: { name: {} } }, "body.name must be a string, a number, or a boolean"],
  ])("%s with %o is an error that names the argument, and sends no request", async (name, sent, text) => {
    const path = await classicSandbox();
    expect(await call(`${path}/mcp`, name, sent)).toMatchObject({ isError: true, content: [{ type: "text", text }] });
    const requests = await getJson<{ operationId: string }[]>(`${path}/requests`);
    expect(requests.map(({ operationId }) => operationId)).toEqual(["mcp"]);
  });

  test("an invalid value is the operation's own error", async () => {
    const result = await call(`${await classicSandbox()}/mcp`, "addPet", { body: { name: 1 } });
    expect(result.isError).toBe(true);
    expect(JSON.parse(textOf(result) ?? "")).toMatchObject({
      code: 405,
      message: "Invalid input",
      errors: [{ path: "name" }, { path: "photoUrls" }],
    });
  });

  test("null is the same as no argument, and a list can be text", async () => {
    const endpoint = `${await classicSandbox()}/mcp`;
    const sent = { status: "sold,pending", limit: null };
    expect((await valueOf<{ items: object[] }>(endpoint, "findPetsByStatus", sent)).items).toHaveLength(3);
    const page = { status: ["available", "sold"], limit: 2, after: 4 };
    expect((await valueOf<{ items: object[] }>(endpoint, "findPetsByStatus", page)).items).toHaveLength(2);
  });

  test.each(["a/b", "a%2Fb", "%2e%2e", "{petId}", "a?b#c", "$&", "日本", "a b"])(
    "the username %s reaches the operation unchanged",
    async (username) => {
      const endpoint = `${sandbox()}/mcp`;
      await valueOf(endpoint, "createUser", { body: { username } });
      expect(await valueOf(endpoint, "getUserByName", { username })).toMatchObject({ username });
    },
  );

  test("text that is not Unicode finds nothing", async () => {
    const body = String.raw`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getUserByName","arguments":{"username":"\ud800"}}}`;
    const headers = { "Content-Type": "application/json", "MCP-Protocol-Version": "2025-11-25" };
    const response = await send("POST", `${sandbox()}/mcp`, { body, headers });
    expect(await response.json()).toMatchObject({ result: { isError: true } });
  });

  test("an idempotency key makes a call safe to repeat", async () => {
    const endpoint = `${sandbox()}/mcp`;
    const sent = { body: { name: "Rex", photoUrls: [] }, "Idempotency-Key": "the first pet" };
    const { id } = await valueOf(endpoint, "addPet", sent);
    expect(await valueOf(endpoint, "addPet", sent)).toMatchObject({ id });
    const other = { ...sent, body: { name: "Max", photoUrls: [] } };
    expect((await call(endpoint, "addPet", other)).content?.[0]?.text).toContain('"code":422');
    expect(await valueOf(endpoint, "placeOrder", { body: {}, "Idempotency-Key": "o" })).toEqual(
      await valueOf(endpoint, "placeOrder", { body: {}, "Idempotency-Key": "o" }),
    );
  });

  test("__proto__ in a body is a field like any other", async () => {
    const body: unknown = JSON.parse('{"name":"Rex","photoUrls":[],"__proto__":{"status":"sold"}}');
    expect(await valueOf(`${sandbox()}/mcp`, "addPet", { body })).toEqual({ id: 1, name: "Rex", photoUrls: [] });
  });
});

describe("files", () => {
  test("an image is an image block", async () => {
    const endpoint = `${await classicSandbox()}/mcp`;
    const name = await upload(endpoint, 3, PNG);
    const { content, structuredContent } = await call(endpoint, "getPetImage", { petId: 3, name });
    expect(content).toEqual([{ type: "image", data: PNG, mimeType: "image/png" }]);
    expect(structuredContent).toBeUndefined();
  });

  test("another file is an embedded resource with its URL", async () => {
    const path = await classicSandbox();
    const file = btoa("<svg onload=alert(1)>");
    const name = await upload(`${path}/mcp`, 3, file);
    const { content } = await call(`${path}/mcp`, "getPetImage", { petId: 3, name });
    const uri = `http://petstore.test${path}/v2/pet/3/images/${name}`;
    const mimeType = "application/octet-stream";
    expect(content).toEqual([{ type: "resource", resource: { uri, mimeType, blob: file } }]);
    expect(await (await send("GET", uri)).text()).toBe("<svg onload=alert(1)>");
  });

  test("the largest file arrives and returns, and a larger one is rejected", async () => {
    const endpoint = `${await classicSandbox()}/mcp`;
    const file = Buffer.alloc(5 * 1024 * 1024, 7);
    const name = await upload(endpoint, 3, file.toString("base64"));
    const { content } = await call(endpoint, "getPetImage", { petId: 3, name });
    expect(content).toMatchObject([{ resource: { blob: file.toString("base64") } }]);
    const larger = Buffer.alloc(5 * 1024 * 1024 + 1).toString("base64");
    const rejected = await call(endpoint, "uploadFile", { petId: 3, body: { file: larger } });
    expect(JSON.parse(textOf(rejected) ?? "")).toMatchObject({ code: 413 });
  });
});

test("a list of more than 5 MiB is an error, and a page of it is not", async () => {
  const path = sandbox();
  const pets = Array.from({ length: 1000 }, () => ({ name: "Rex", status: "sold", photoUrls: [] }));
  await send("PUT", `${path}/data`, { json: { pets } });
  await demand(path, { operationId: "findPetsByStatus", patch: { name: "x".repeat(6000) } });
  const whole = await call(`${path}/mcp`, "findPetsByStatus", { status: "sold" });
  expect(whole).toMatchObject({ isError: true, content: [{ text: "More than 5242880 bytes" }] });
  const page = await valueOf<{ items: object[] }>(`${path}/mcp`, "findPetsByStatus", { status: "sold", limit: 100 });
  expect(page.items).toHaveLength(100);
});

describe("the management", () => {
  test("its tools are separate", async () => {
    const path = sandbox();
    const names = (await toolsOf(`${path}/manage/mcp`)).map(({ name }) => name);
    expect(names).toEqual(["getData", "replaceData", "getRules", "setRules", "listRequests", "clearRequests"]);
    expect((await toolsOf(`${path}/mcp`)).filter(({ name }) => names.includes(name))).toEqual([]);
  });

  test("each tool does as its route does", async () => {
    const path = sandbox();
    const manage = `${path}/manage/mcp`;
    const tools = new Map((await toolsOf(manage)).map((tool) => [tool.name, tool]));
    const done = { content: [{ type: "text", text: "HTTP 204" }] };
    expect(await call(manage, "replaceData", { body: { data: "classic" } }, { revision: "2025-11-25" })).toEqual(done);
    const data = await valueOf<{ pets: object[] }>(manage, "getData");
    expect(data.pets).toHaveLength(10);
    expect(errorsOf(tools.get("getData")?.outputSchema ?? {}, data)).toEqual([]);
    const rule = { operationId: "getPetById", times: 1, status: 503 };
    await call(manage, "setRules", { body: [rule] });
    expect((await send("GET", `${path}/v2/pet/1`, { documented: false })).status).toBe(503);
    const rules = await valueOf(manage, "getRules");
    expect(rules).toEqual({ items: [{ ...rule, used: 1 }] });
    expect(errorsOf(tools.get("getRules")?.outputSchema ?? {}, rules)).toEqual([]);
    const requests = await valueOf<{ items: object[] }>(manage, "listRequests", {
      operationId: "getPetById",
      status: "5xx",
    });
    expect(requests.items).toMatchObject([{ operationId: "getPetById", status: 503, rule }]);
    await call(manage, "clearRequests");
    expect(await valueOf(manage, "listRequests")).toEqual({ items: [] });
    expect(await valueOf(manage, "getRules")).toEqual(rules);
  });

  test("listRequests waits for a request", async () => {
    const path = await classicSandbox();
    const waiting = valueOf<{ items: object[] }>(`${path}/manage/mcp`, "listRequests", { wait: 30 });
    await call(`${path}/mcp`, "getInventory");
    expect((await waiting).items.length).toBeGreaterThan(0);
  });

  test("errors are those of the routes", async () => {
    const manage = `${sandbox()}/manage/mcp`;
    for (const name of ["getData", "getRules", "listRequests", "clearRequests"]) {
      expect(JSON.parse(textOf(await call(manage, name)) ?? ""), name).toMatchObject({ code: 404 });
    }
    const rules = await call(manage, "setRules", { body: [{ status: 1 }] });
    expect(JSON.parse(textOf(rules) ?? "")).toMatchObject({ code: 400, errors: [{ path: "0.status" }] });
    const data = await call(manage, "replaceData", { body: { pets: [{ name: "" }] } });
    expect(JSON.parse(textOf(data) ?? "")).toMatchObject({ code: 400, errors: [{ path: "pets.0.name" }, {}] });
  });
});
