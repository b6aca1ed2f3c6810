import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sandbox, send } from "../client.ts";
import { REVISIONS, post, request, type Message } from "./client.ts";

const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ toString: 1, constructor: null }));

const anyMessage = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant("2.0") }, anyJson),
    id: fc.oneof(fc.integer(), fc.string(), anyJson),
    method: fc.oneof(fc.constantFrom("initialize", "ping", "tools/list", "tools/call", "server/discover"), anyJson),
    params: fc.oneof(fc.record({ name: anyJson, arguments: anyJson, _meta: anyJson, cursor: anyJson }), anyJson),
  },
  { requiredKeys: [] },
);

/** Any value for some of these arguments. */
const anyArguments = (names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, anyJson])), { requiredKeys: [] });

/** Whether a message is a response: it has either a result or an error. */
const isResponse = (message: Message) => (message.result === undefined) !== (message.error === undefined);

test("any message gets a result, an error, or no body", async () => {
  const endpoint = `${sandbox()}/mcp`;
  await fc.assert(
    fc.asyncProperty(anyMessage, fc.constantFrom(...REVISIONS), async (json, revision) => {
      const headers = { "MCP-Protocol-Version": revision };
      const response = await send("POST", endpoint, { json, headers });
      expect([200, 202, 400, 404]).toContain(response.status);
      if (response.status !== 202) expect(await response.json<Message>()).toSatisfy(isResponse);
    }),
    { numRuns: 300 },
  );
});

test("any arguments of any tool get a result", async () => {
  const endpoint = `${sandbox()}/mcp`;
  const { tools = [] } = await request(endpoint, "tools/list");
  const anyCall = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
    const { properties } = inputSchema as { readonly properties: object };
    return fc.record({ name: fc.constant(name), arguments: anyArguments(Object.keys(properties)) });
  });
  await fc.assert(
    fc.asyncProperty(anyCall, fc.constantFrom(...REVISIONS), async (params, revision) => {
      const response = await post(endpoint, "tools/call", params, { revision });
      expect(response.status).toBe(200);
      const { result } = await response.json<Message>();
      expect(result).toBeDefined();
      expect(result?.content?.[0]?.text).not.toContain('"code":500');
    }),
    { numRuns: 300 },
  );
});
