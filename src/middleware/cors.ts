import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";

const crossOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
  // Includes headers that a sandbox's rules set.
  exposeHeaders: ["*"],
  maxAge: 86_400,
});

/**
 * Lets scripts of any origin use the APIs, without cookies. An `OPTIONS` request that is not a preflight gets `Allow`.
 * The headers are set after the handler, because Hono takes 30 µs to merge headers that were set before it.
 */
export const anyOrigin = createMiddleware(async (c, next) => {
  if (c.req.header("Access-Control-Request-Method") !== undefined) return crossOrigin(c, next);
  await next();
  if (c.req.method !== "OPTIONS") await crossOrigin(c, async () => undefined);
});
