import type { Read } from "./env.ts";

/**
 * The address of a path of the interfaces, as clients know it: `PUBLIC_URL` or the origin of the request, then the path of
 * the sandbox, if any. `X-Forwarded-*` is not trusted: any client can send it.
 * @param path such as `/v2/pet/7`
 */
export const urlOf = (c: Read, path: string): URL =>
  new URL((c.get("settings").publicUrl ?? new URL(c.req.url).origin) + c.get("mount") + path);

/** The same without scheme and host. */
export const pathOf = (c: Read, path: string): string => c.get("settings").publicPath + c.get("mount") + path;
