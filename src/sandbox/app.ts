import type { Context, MiddlewareHandler } from "hono";
import { createApp, refuseMethods, settings } from "../app.ts";
import type { AppEnv } from "../env.ts";
import { cachePrivately } from "../middleware/etag.ts";
import { v2 } from "../v2/index.ts";
import { v3 } from "../v3/index.ts";
import { faults } from "./faults.ts";
import { bind, makeOrProlong } from "./lifetime.ts";
import { record } from "./requests.ts";
import { sandboxRoutes } from "./routes.ts";
import { limitData, sandboxStores } from "./stores.ts";

/** `OPTIONS` and documents: they neither make a sandbox nor prolong it, are not recorded and meet no rule. */
const isNoOperation = (c: Context): boolean =>
  c.req.method === "OPTIONS" || /\/(?:v2|v3)\/(?:openapi\.(?:json|yaml)|swagger\.json)$/.test(c.req.path);

/** Passes only operations to a middleware. `except` of hono/combine would say the same, for 20 µs a request. */
const ofOperations =
  (middleware: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> =>
  async (c, next) =>
    isNoOperation(c) ? next() : middleware(c, next);

/** The app of the object of a sandbox. */
export function createSandboxApp() {
  // Rules can remove the header of `cachePrivately`, too.
  const ofInterfaces = [...[makeOrProlong, record, faults, limitData].map(ofOperations), cachePrivately];
  const app = createApp();
  return app
    .basePath("/sandboxes/:sandbox")
    .use(settings, bind, sandboxStores)
    .use("/v2/*", ...ofInterfaces)
    .use("/api/v3/*", ...ofInterfaces)
    .use(refuseMethods(app))
    .route("/v2", v2)
    .route("/api/v3", v3)
    .route("/", sandboxRoutes);
}
