import type { Context } from "hono";
import type { App, Services } from "../context.ts";
import { JsonText } from "../json-text.ts";

/** Response headers that scripts of other origins may read (interface §7.1). */
const EXPOSED_HEADERS = [
  "X-Rate-Limit",
  "X-Expires-After",
  "ETag",
  "Link",
  "Retry-After",
  "x-d1-bookmark",
  "x-request-id",
].join(", ");

/** Headers that make browsers treat an answer only as data (OWASP REST Security Cheat Sheet). */
const SECURITY_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/**
 * No proxy may change an answer with an `ETag`. When Cloudflare's edge compresses an answer, it makes the tag weak, and
 * a weak tag never matches `If-Match` (https://developers.cloudflare.com/cache/reference/etag-headers/).
 */
const UNTRANSFORMED = ", no-transform";

/** A browser that used TLS once uses it for a year. (RFC 6797 §7.2: never sent without TLS.) */
const TRANSPORT_SECURITY = { "Strict-Transport-Security": "max-age=31536000" };

/**
 * Every answer of the service is made here.
 * @param body sent as JSON; a stream is sent unchanged; `undefined` for none
 */
export function respond(
  c: Context<App>,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const isJson = body !== undefined && !(body instanceof ReadableStream);
  // If settings are missing, there are no services.
  const bookmark = (c.get("services") as Services | undefined)?.bookmark();
  const caching = c.get("route")?.noStore ? "no-store" : "private, no-cache";
  const text = body instanceof JsonText ? body.text : JSON.stringify(body);
  return new Response(isJson ? text : (body ?? null), {
    status,
    headers: {
      ...(isJson && { "Content-Type": "application/json" }),
      ...SECURITY_HEADERS,
      ...(c.req.raw.url.startsWith("https:") && TRANSPORT_SECURITY),
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
      "Cache-Control": "ETag" in headers ? caching + UNTRANSFORMED : caching,
      "X-Request-Id": c.get("requestId"),
      ...(bookmark !== undefined && { "x-d1-bookmark": bookmark }),
      ...headers,
    },
  });
}
