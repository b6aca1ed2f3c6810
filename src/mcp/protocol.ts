// The Model Context Protocol without sessions, streams, and batches: a request is one JSON-RPC message, and so is its response.
import * as v from "valibot";
import { expected, isObject, isShallow } from "../http/schemas.ts";
import type { Tool, Toolset } from "./toolset.ts";

/** The supported revisions, newest first. In the newest, each request declares its revision. In the others, `initialize` does. */
const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"];
const [STATELESS = "", ...WITH_HANDSHAKE] = REVISIONS;

/** The 32 levels of a rule and those around it. Writing JSON takes quadratic time in the number of levels. */
const MAX_LEVELS = 40;
const META = "io.modelcontextprotocol/";

/** A JSON-RPC error, and the status of the HTTP response. */
export class RpcError extends Error {
  readonly error: object;
  readonly status: 200 | 400 | 404;

  constructor(code: number, message: string, status: 200 | 400 | 404 = 400, data?: object) {
    super(message);
    this.error = { code, message, data };
    this.status = status;
  }
}

const invalidRequest = (message: string) => new RpcError(-32600, message);
const invalidParams = (message: string, status: 200 | 400 = 200) => new RpcError(-32602, message, status);
const headerMismatch = (message: string) => new RpcError(-32020, message);

type Params = Readonly<Record<string, unknown>>;

/** The ID of a request. `null` is not an ID. */
const Id = v.union([v.string(), v.pipe(v.number(), v.safeInteger())], "must be a string or an integer");

const Message = v.object({
  jsonrpc: v.picklist(["2.0"], 'must be "2.0"'),
  // A notification has no ID.
  id: v.optional(Id),
  method: v.string(expected("a string")),
  params: v.optional(v.custom<Params>(isObject, expected("an object")), {}),
});
type Message = v.InferOutput<typeof Message>;

/** Returns the ID of a message that may be invalid. `undefined` if it has no valid ID: writing any JSON could overflow the stack. */
export const findId = (value: unknown): v.InferOutput<typeof Id> | undefined =>
  isObject(value) && "id" in value && v.is(Id, value.id) ? value.id : undefined;

/** Validates a message. Throws `RpcError`. @param value `undefined` if it is not JSON */
function toMessage(value: unknown): Message {
  if (value === undefined) throw new RpcError(-32700, "The body must be JSON in UTF-8");
  if (!isObject(value)) throw invalidRequest("The body must be one JSON-RPC message");
  if (!isShallow(value, MAX_LEVELS)) throw invalidRequest(`The body must have at most ${MAX_LEVELS} levels`);
  const { success, output, issues } = v.safeParse(Message, value, { abortEarly: true });
  if (success) return output;
  throw invalidRequest(`${v.getDotPath(issues[0])} ${issues[0].message}`);
}

/** Rejects a revision that is not supported. Throws `RpcError`. */
function checkRevision(requested: string): undefined {
  if (REVISIONS.includes(requested)) return undefined;
  throw new RpcError(-32022, "Unsupported protocol version", 400, { supported: REVISIONS, requested });
}

/** Decodes a header whose value is in base64 if it would not be ASCII. */
const decodeHeader = (value: string | null) =>
  value?.replace(/^=\?base64\?(.*)\?=$/, (_, base64: string) => Buffer.from(base64, "base64").toString());

/** Returns the revision of a request. Throws `RpcError` if it is not supported, or if headers differ from the message. */
function getRevision({ method, params }: Message, headers: Headers): string {
  const meta = new Map<string, unknown>(isObject(params["_meta"]) ? Object.entries(params["_meta"]) : []);
  const declared = meta.get(`${META}protocolVersion`);
  const header = headers.get("MCP-Protocol-Version");
  // The other requests have the header that the handshake determines.
  if (method === "initialize" && declared === undefined && header === null) return WITH_HANDSHAKE[0] ?? "";
  if (header === null || (declared !== undefined && declared !== header)) {
    throw headerMismatch("MCP-Protocol-Version is required, and must be the revision in _meta");
  }
  checkRevision(header);
  if (header !== STATELESS) return header;
  if (headers.get("Mcp-Method") !== method) throw headerMismatch(`Mcp-Method must be ${method}`);
  if (method === "tools/call" && decodeHeader(headers.get("Mcp-Name")) !== params["name"]) {
    throw headerMismatch("Mcp-Name must be the name of the tool");
  }
  if (declared === undefined || !isObject(meta.get(`${META}clientCapabilities`))) {
    throw invalidParams(`_meta must have ${META}protocolVersion and ${META}clientCapabilities`, 400);
  }
  return header;
}

/** A server with nothing but tools. */
export interface Server extends Toolset {
  readonly call: (tool: Tool, sent: object) => Promise<object>;
}

async function callTool({ tools, call }: Server, { name, arguments: sent = {} }: Params): Promise<object> {
  const tool = tools.find(({ definition }) => definition.name === name);
  if (!tool) throw invalidParams(typeof name === "string" ? `Unknown tool: ${name}` : "name must be a string");
  if (!isObject(sent)) throw invalidParams("arguments must be an object");
  return call(tool, sent);
}

const capabilities = { tools: {} };

/** A client that kept the list of tools would not see the effect of a rule. */
const NOT_CACHED = { ttlMs: 0, cacheScope: "private" };

/** Performs a method. Throws `RpcError` if revisions of this kind do not have it. */
async function performMethod(server: Server, { method, params }: Message, isStateless: boolean): Promise<object> {
  const { serverInfo, instructions, tools } = server;
  if (method === "tools/call") return callTool(server, params);
  if (method === "tools/list") {
    if (params["cursor"] !== undefined) throw invalidParams("There is only one page");
    return { tools: tools.map(({ definition }) => definition), ...(isStateless && NOT_CACHED) };
  }
  if (method === "server/discover" && isStateless) {
    return { supportedVersions: REVISIONS, capabilities, instructions, ...NOT_CACHED };
  }
  if (method === "ping" && !isStateless) return {};
  if (method === "initialize" && !isStateless) {
    const { protocolVersion: requested } = params;
    if (typeof requested !== "string") throw invalidParams("protocolVersion must be a string");
    const protocolVersion = WITH_HANDSHAKE.includes(requested) ? requested : WITH_HANDSHAKE[0];
    return { protocolVersion, capabilities, serverInfo, instructions };
  }
  throw new RpcError(-32601, `Unknown method: ${method}`, isStateless ? 404 : 200);
}

/** Performs a request. Returns `undefined` for a notification. Throws `RpcError`. @param body `undefined` if it is not JSON */
export async function perform(server: Server, body: unknown, headers: Headers): Promise<object | undefined> {
  const message = toMessage(body);
  if (message.id === undefined) return checkRevision(headers.get("MCP-Protocol-Version") ?? STATELESS);
  const isStateless = getRevision(message, headers) === STATELESS;
  const result: { readonly _meta?: object } = await performMethod(server, message, isStateless);
  if (!isStateless) return result;
  return { resultType: "complete", ...result, _meta: { ...result["_meta"], [`${META}serverInfo`]: server.serverInfo } };
}
