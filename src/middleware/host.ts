import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/errors.ts";

const INVALID_HOST = [400, "Invalid host"] as const;

/** A host that RFC 3986, section 3.2.2, allows, and a port. The runtime decodes percent-escapes, and rejects most others. */
const HOST = /^(?:[\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** Whether a URL has a host that RFC 3986 allows. The runtime also accepts quotes and braces. */
export const hasValidHost = (url: string): boolean => HOST.test(new URL(url).host);

/** Rejects a `Host` that RFC 3986 does not allow. Throws `ApiError` 400. */
export const validHost = createMiddleware(async (c, next) => {
  if (!hasValidHost(c.req.url)) {
    throw new ApiError(INVALID_HOST, [{ path: "Host", message: "must be a host as in RFC 3986" }]);
  }
  await next();
});
