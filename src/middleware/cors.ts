import { except } from "hono/combine";
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

/** Lets scripts of any origin use the interfaces, without cookies. An `OPTIONS` that is no preflight gets its `Allow`. */
export const anyOrigin = except(
  (c) => c.req.method === "OPTIONS" && !c.req.header("Access-Control-Request-Method"),
  cors({
    origin: "*",
    allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
    exposeHeaders: EXPOSED,
    maxAge: 86_400,
  }),
);
