import type { Context, MiddlewareHandler } from "hono";
import { createApp, rejectMethods, settings, baseMiddleware } from "../middleware/app.ts";
import { anyOrigin } from "../middleware/cors.ts";
import { cachePrivately } from "../http/etag.ts";
import { v2 } from "../v2.ts";
import { v3 } from "../v3.ts";
import type { SandboxEnv } from "./env.ts";
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
  (middleware: MiddlewareHandler<SandboxEnv>): MiddlewareHandler<SandboxEnv> =>
  async (c, next) =>
    isNoOperation(c) ? next() : middleware(c, next);

/** The app of the object of a sandbox. Its answers are whole: the Worker adds nothing. */
export function createSandboxApp() {
  const app = createApp();
  app.use(...baseMiddleware);
  const below = app.basePath("/sandboxes/:sandbox");
  const interfaces = ["/v2/*", "/api/v3/*"];
  for (const path of interfaces) below.use(path, anyOrigin);
  below.use(settings, bind, sandboxStores);
  for (const path of interfaces) {
    below.use(path, ofOperations(makeOrProlong), ofOperations(record), ofOperations(faults), ofOperations(limitData));
    // Rules can remove its header, too.
    below.use(path, cachePrivately);
  }
  return below.use(rejectMethods(app)).route("/v2", v2).route("/api/v3", v3).route("/", sandboxRoutes);
}
