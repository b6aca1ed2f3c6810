import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/errors.ts";

const INVALID_HOST = [400, "Invalid host"] as const;

/** A host that RFC 3986, section 3.2.2, allows, and a port. */
const HOST = /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Whether the host of a request is one that RFC 3986 allows. The runtime puts any text of `Host` in front of the path, so the
 * URL alone may look valid: `a/b`. It also decodes percent-escapes, so the header alone may look valid: `a%22b`.
 */
export function hasValidHost({ url, headers }: Request): boolean {
  const host = URL.parse(url)?.host ?? "";
  return HOST.test(host) && HOST.test(headers.get("Host") ?? host);
}

/** Rejects a `Host` that RFC 3986 does not allow. Throws `ApiError` 400. */
export const validHost = createMiddleware(async (c, next) => {
  if (!hasValidHost(c.req.raw)) {
    throw new ApiError(INVALID_HOST, [{ path: "Host", message: "must be a host as in RFC 3986" }]);
  }
  await next();
});
