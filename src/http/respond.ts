import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { App, Services } from "../env.ts";

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
  // Where settings are missing there are no services.
  const bookmark = (c.var.services as Services | undefined)?.db.bookmark;
  const all = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED_HEADERS,
    "Cache-Control": c.var.operation?.noStore ? "no-store" : "private, no-cache",
    ...(bookmark !== undefined && { "x-d1-bookmark": bookmark }),
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
