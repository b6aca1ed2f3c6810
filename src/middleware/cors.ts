import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

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
 * `except` of hono/combine would say the same, for 20 µs a request.
 */
export const anyOrigin: MiddlewareHandler = async (c, next) => {
  const isPreflight = c.req.header("Access-Control-Request-Method") !== undefined;
  return c.req.method === "OPTIONS" && !isPreflight ? next() : crossOrigin(c, next);
};
