import type { Context } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * The address of the service as clients know it, without a slash at its end: `PUBLIC_URL` or the origin of the request.
 * `X-Forwarded-*` is not trusted: any client can send it.
 */
export const publicUrlOf = (c: Context<AppEnv>): string =>
  c.get("settings").publicUrl ?? new URL(c.req.url).origin;

/**
 * The address of a path of the interfaces, as clients know it, also below a sandbox.
 * @param path such as `/v2/pet/7`
 */
export const urlOf = (c: Context<AppEnv>, path: string): URL => new URL(publicUrlOf(c) + c.get("mount") + path);

/** The same without scheme and host. */
export const pathOf = (c: Context<AppEnv>, path: string): string => urlOf(c, path).pathname;
