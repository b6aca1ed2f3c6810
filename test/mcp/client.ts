import { expect } from "vitest";
import { send, type Init } from "../client.ts";

/** The revisions, newest first. */
export const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"] as const;
export type Revision = (typeof REVISIONS)[number];

/** The fields of a JSON-RPC response. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The fields of the results of all methods. */
export interface Result {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly tools?: readonly ListedTool[];
  readonly [name: string]: unknown;
}

/** A tool in a list. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations: Readonly<Record<string, boolean>>;
}

interface McpInit extends Init {
  readonly revision?: Revision | undefined;
}

/** Returns the headers and the metadata that a revision requires of a request. */
export function required(revision: Revision, method: string, params: object) {
  const headers = { "MCP-Protocol-Version": revision };
  if (revision !== "2026-07-28") return { headers, params };
  const name = "name" in params ? { "Mcp-Name": String(params.name) } : {};
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { headers: { ...headers, "Mcp-Method": method, ...name }, params: { ...params, _meta: meta } };
}

/** Sends an MCP request. @param endpoint such as `/sandboxes/…/mcp` */
export async function post(
  endpoint: string,
  method: string,
  params: object = {},
  init: McpInit = {},
): Promise<Response> {
  const { revision = "2026-07-28", headers, ...rest } = init;
  const needed = required(revision, method, params);
  const json = { jsonrpc: "2.0", id: 1, method, params: needed.params };
  return send("POST", endpoint, { json, ...rest, headers: { ...needed.headers, ...(headers as object) } });
}

/** Sends an MCP request, which must succeed. @returns its result */
export async function request(endpoint: string, method: string, params: object = {}, init: McpInit = {}) {
  const response = await post(endpoint, method, params, init);
  const { result, ...message } = await response.json<Message>();
  expect(result, JSON.stringify(message)).toBeDefined();
  return result ?? {};
}

/** Calls a tool. @returns its result */
export const call = async (endpoint: string, name: string, args: object = {}, init: McpInit = {}): Promise<Result> =>
  request(endpoint, "tools/call", { name, arguments: args }, init);

/** Calls a tool, which must succeed. @returns its structured content */
export async function valueOf<Value = Record<string, unknown>>(
  endpoint: string,
  name: string,
  args: object = {},
  init: McpInit = {},
): Promise<Value> {
  const { structuredContent, ...result } = await call(endpoint, name, args, init);
  expect(structuredContent, JSON.stringify(result)).toBeDefined();
  return structuredContent as Value;
}

/** Returns the text of a result. */
export const textOf = ({ content }: Result): string | undefined => content?.[0]?.text;
