import type { MiddlewareHandler } from "hono";
import { resolvePath } from "./http/address.ts";
import type { AppEnv } from "./http/env.ts";
import { defaultCacheControl } from "./http/etag.ts";
import { baseMiddleware, createApp, loadSettings } from "./middleware/app.ts";
import { anyOrigin } from "./middleware/cors.ts";
import { validHost } from "./middleware/host.ts";
import { limitRequests } from "./middleware/rate-limit.ts";
import { proxySandbox, sandboxes, throwProxyError } from "./sandbox/proxy.ts";
import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";

/**
 * Creates the service: both APIs and the sandboxes.
 * @param storage sets the variables `db`, `sessions`, and `images`
 */
export function createServiceApp(storage: MiddlewareHandler<AppEnv>) {
  const app = createApp();
  // First, because sandbox responses pass through unmodified.
  app.use("/sandboxes/:sandbox/*", proxySandbox);
  app.use(...baseMiddleware, validHost, defaultCacheControl);
  // Before the settings and the rate limit: it shows only that the Worker runs.
  app.get("/health", (c) => c.json({ status: "ok" }));
  // Before the rate limit, so that scripts of any origin can read a 429.
  app.use("/v2/*", anyOrigin);
  app.use("/api/v3/*", anyOrigin);
  app.use("/sandboxes/:sandbox/v2/*", anyOrigin);
  app.use("/sandboxes/:sandbox/api/v3/*", anyOrigin);
  app.use("/sandboxes/:sandbox/*", throwProxyError);
  app.use(loadSettings, limitRequests);
  app.on("GET", ["/", "/docs"], (c) => c.redirect(resolvePath(c, "/docs/")));
  app.route("/sandboxes", sandboxes);
  app.use(storage);
  return app.route("/v2", v2).route("/api/v3", v3);
}
