import type { Context } from "hono";
import { Hono } from "hono/tiny";
import { resolveUrl } from "../http/address.ts";
import { JSON_TYPE, checkJson, parseJson } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { Disconnected } from "../http/errors.ts";
import { operation, withMetadata } from "../http/operation.ts";
import { checkLength, readBody } from "../http/read-body.ts";
import { sendJson } from "../http/send-json.ts";
import { RpcError, findId, perform } from "./protocol.ts";
import { InvalidArguments, toRequest } from "./request.ts";
import { NO_RESPONSE, toFailure, toResult } from "./result.ts";
import { readToolset, type Tool } from "./toolset.ts";

/** Sends a request to the app of the tools. Throws `Disconnected` if the connection closes without a response. */
export type Dispatch = (c: Context<AppEnv>, request: Request) => Promise<Response>;

/** The maximum size of a message, in bytes: a file of 5 MiB in base64, and the other arguments. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Sends the request of a tool, and converts the response. */
async function callTool(c: Context<AppEnv>, dispatch: Dispatch, tool: Tool, sent: object): Promise<object> {
  const base = new URL(c.req.url).origin + c.get("mount");
  try {
    const request = toRequest(tool, sent, base, c.req.raw.headers);
    return await toResult(await dispatch(c, request), tool, resolveUrl(c, request.url.slice(base.length)).href);
  } catch (error) {
    if (error instanceof InvalidArguments) return toFailure(error.message);
    if (error instanceof Disconnected) return NO_RESPONSE;
    throw error;
  }
}

/** Handles the messages to an endpoint. @param asset the asset with its tools */
const handleMessages = (asset: string, dispatch: Dispatch) =>
  withMetadata({ body: { mediaTypes: [JSON_TYPE], limit: MAX_BYTES } }, async (c: Context<AppEnv>) => {
    checkLength(c, MAX_BYTES);
    checkJson(c);
    const value = parseJson(await readBody(c, MAX_BYTES, [400, "Invalid message"]));
    const id = findId(value);
    const toolset = await readToolset(c.env, asset);
    const call = async (tool: Tool, sent: object) => callTool(c, dispatch, tool, sent);
    try {
      const result = await perform({ ...toolset, call }, value, c.req.raw.headers);
      return result ? sendJson(c, { jsonrpc: "2.0", id, result }) : c.body(null, 202);
    } catch (error) {
      if (error instanceof RpcError) return sendJson(c, { jsonrpc: "2.0", id, error: error.error }, error.status);
      throw error;
    }
  });

/** The MCP endpoints of a sandbox: one for the operations, and one for its management. */
export const mcpRoutes = (dispatch: Dispatch) =>
  new Hono<AppEnv>()
    .post("/mcp", operation("mcp"), handleMessages("/mcp/operations.json", dispatch))
    .post("/manage/mcp", operation("manageMcp"), handleMessages("/mcp/management.json", dispatch));
