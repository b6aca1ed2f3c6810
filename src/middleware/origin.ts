import { createMiddleware } from "hono/factory";
import { FORBIDDEN } from "../http/access.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";

/** Hosts that no DNS server resolves. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Rejects a request from a page of another origin. Throws `ApiError` 403. That the origin has the host of the request proves
 * nothing: with DNS rebinding, both are the attacker's.
 */
export const ownOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const { publicUrl } = c.get("settings");
  const own = new URL(publicUrl ?? c.req.url);
  const isKnown = publicUrl !== undefined || LOOPBACK.test(own.hostname);
  const origin = c.req.header("Origin");
  if (origin !== undefined && !(isKnown && origin === own.origin)) {
    throw new ApiError(FORBIDDEN, [{ path: "Origin", message: "must be the origin of this service" }]);
  }
  await next();
});
