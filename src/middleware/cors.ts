import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";

/** The headers of ours that scripts of other origins may read, besides those that any script may. */
const EXPOSED = [
  "X-Rate-Limit",
  "X-Expires-After",
  "ETag",
  "Link",
  "Content-Location",
  "Content-Range",
  "Accept-Ranges",
  "Location",
  "Allow",
  "Retry-After",
  "WWW-Authenticate",
  "x-d1-bookmark",
  "X-Request-Id",
];

const crossOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
  exposeHeaders: EXPOSED,
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
