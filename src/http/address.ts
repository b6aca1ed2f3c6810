import type { RequestContext } from "./env.ts";

/**
 * Returns the URL of an API path as clients see it: `PUBLIC_URL` or the request's origin, then the path of the sandbox, if
 * any. `X-Forwarded-*` is not trusted: any client can send it.
 * @param path such as `/v2/pet/7`
 */
export const resolveUrl = (c: RequestContext, path: string): URL =>
  new URL((c.get("settings").publicUrl ?? new URL(c.req.url).origin) + c.get("mount") + path);

/** Returns the same URL without scheme and host. */
export const resolvePath = (c: RequestContext, path: string): string =>
  c.get("settings").publicPath + c.get("mount") + path;
