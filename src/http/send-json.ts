import type { Context, TypedResponse } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { JSONParsed } from "hono/utils/types";
import { JSON_TYPE } from "./body.ts";

/** Keeps the body of a response for the request log of a sandbox. Reading it back takes longer than creating it. */
export function keepBody(c: Context, response: Response, body: string | Uint8Array): Response {
  c.set("sent", { response, body });
  return response;
}

/** Creates a JSON response. Unlike `sendJson`, it does not add the headers that a handler set before it failed. */
export function createJson(c: Context, value: object, status: number, init: HeadersInit): Response {
  const text = JSON.stringify(value);
  const headers = new Headers(init);
  headers.set("Content-Type", JSON_TYPE);
  return keepBody(c, new Response(text, { status, headers }), text);
}

/** Sends JSON as `c.json` does. */
export function sendJson<Value extends object | string, Status extends ContentfulStatusCode = ContentfulStatusCode>(
  c: Context,
  value: Value,
  status?: Status,
) {
  const text = JSON.stringify(value);
  const response = keepBody(c, c.body(text, status, { "Content-Type": JSON_TYPE }), text);
  // For typed clients, it is the same response. `c.json` does not return its text.
  return response as Response & TypedResponse<JSONParsed<Value>, Status, "json">;
}
