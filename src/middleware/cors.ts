import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";

const crossOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
  // Also the headers that the rules of a sandbox set.
  exposeHeaders: ["*"],
  maxAge: 86_400,
});

/**
 * Lets scripts of any origin use the interfaces, without cookies. An `OPTIONS` that is no preflight gets its `Allow`.
 * The headers are set after the answer: before it, Hono makes a response for them, and merges it with the answer in 30 µs.
 */
export const anyOrigin = createMiddleware(async (c, next) => {
  if (c.req.header("Access-Control-Request-Method") !== undefined) return crossOrigin(c, next);
  await next();
  if (c.req.method !== "OPTIONS") await crossOrigin(c, async () => undefined);
});
