import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./env.ts";
import { anyOrigin } from "./middleware/cors.ts";
import { v2 } from "./v2/index.ts";
import { v3 } from "./v3/index.ts";

/** What an answer says to caches where its route says nothing else. */
export const privately = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "private, no-cache");
});

/** Both interfaces. The Worker serves them at its root, the object of a sandbox below its name. */
export const interfaces = new Hono<AppEnv>()
  .use("/v2/*", anyOrigin, privately)
  .use("/api/v3/*", anyOrigin, privately)
  .route("/v2", v2)
  .route("/api/v3", v3);

/** For typed clients: `hc<AppType>(url)`. */
export type AppType = typeof interfaces;
