import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { App } from "../env.ts";

/** Response headers that scripts of other origins may read (CONTRACT §7). */
const EXPOSED_HEADERS = [
  "X-Rate-Limit",
  "X-Expires-After",
  "ETag",
  "Link",
  "Retry-After",
  "x-d1-bookmark",
  "x-request-id",
].join(", ");

/**
 * Every answer of the service is made here.
 * @param body sent as JSON, a stream as it is; `undefined` for none
 */
export function respond(
  c: Context<App>,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const all = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED_HEADERS,
    "Cache-Control": c.var.operation?.noStore ? "no-store" : "private, no-cache",
    ...headers,
  };
  if (body === undefined || body instanceof ReadableStream) {
    return c.newResponse(body ?? null, status as ContentfulStatusCode, all);
  }
  return c.newResponse(JSON.stringify(body), status as ContentfulStatusCode, {
    "Content-Type": "application/json",
    ...all,
  });
}
