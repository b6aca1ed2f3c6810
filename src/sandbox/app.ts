import type { Context, MiddlewareHandler } from "hono";
import { cachePrivately } from "../http/etag.ts";
import { baseMiddleware, createApp, rejectMethods, settings } from "../middleware/app.ts";
import { anyOrigin } from "../middleware/cors.ts";
import type { SandboxEnv } from "./env.ts";
import { faults } from "./faults.ts";
import { bind, createOrExtend } from "./lifetime.ts";
import { completeLog, logRequest } from "./log-request.ts";
import { Operations, type Interfaces } from "./operations.ts";
import { sandboxRoutes } from "./routes.ts";
import { limitData, sandboxStorage } from "./storage.ts";

/** Whether a request is `OPTIONS` or for a document. Such requests create no sandbox, are not logged, and use no rules. */
const isNoOperation = (c: Context): boolean =>
  c.req.method === "OPTIONS" || /\/(?:v2|v3)\/(?:openapi\.(?:json|yaml)|swagger\.json)$/.test(c.req.path);

/** Applies a middleware to operations only. Hono's `except` would do the same, for 20 µs per request. */
const forOperations =
  (middleware: MiddlewareHandler<SandboxEnv>): MiddlewareHandler<SandboxEnv> =>
  async (c, next) =>
    isNoOperation(c) ? next() : middleware(c, next);

/** Creates the app of a sandbox's Durable Object. Its responses are complete: the Worker adds nothing. */
export function createSandboxApp(interfaces: Interfaces) {
  const app = createApp();
  const operations = new Operations(interfaces);
  const bases = Object.keys(interfaces);
  // First, to log the response with all its headers.
  for (const base of bases) app.basePath("/sandboxes/:sandbox").use(`${base}/*`, completeLog);
  app.use(...baseMiddleware);
  const below = app.basePath("/sandboxes/:sandbox");
  for (const base of bases) below.use(`${base}/*`, anyOrigin);
  below.use(settings, bind, sandboxStorage);
  const inject = faults(operations);
  for (const base of bases) {
    for (const middleware of [createOrExtend, logRequest, inject, limitData]) {
      below.use(`${base}/*`, forOperations(middleware));
    }
  }
  // Inside the rules, which can remove the header.
  below.use(cachePrivately, rejectMethods(app));
  for (const [base, routes] of Object.entries(interfaces)) below.route(base, routes);
  return below.route("/", sandboxRoutes(operations));
}
