import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/errors.ts";

const INVALID_HOST = [400, "Invalid host"] as const;

/** The hosts that workerd can send requests to, with or without a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** The last valid host: most requests have the same one, and checking it again takes longer than comparing it. */
let lastValid = "";

/**
 * Whether the host of a request is valid. The runtime puts any text of `Host` in front of the path, so the URL alone may look
 * valid: `a/b`. A host that matches the pattern may still not be one, such as `a:99999` or `a.1`.
 */
export function hasValidHost({ url, headers }: Request): boolean {
  const start = url.indexOf("//") + 2;
  const inUrl = url.slice(start, url.indexOf("/", start));
  const host = headers.get("Host") ?? inUrl;
  if (inUrl === lastValid && host === lastValid) return true;
  const isValid = [inUrl, host].every((each) => HOST.test(each) && URL.canParse(`http://${each}`));
  if (isValid) lastValid = host;
  return isValid;
}

/** Rejects an invalid `Host`. Throws `ApiError` 400. */
export const validHost = createMiddleware(async (c, next) => {
  if (!hasValidHost(c.req.raw)) {
    const message = "must have only letters, digits, hyphens, dots, and underscores, or be an IPv6 address in brackets";
    throw new ApiError(INVALID_HOST, [{ path: "Host", message }]);
  }
  await next();
});
