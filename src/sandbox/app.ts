import type { Context, MiddlewareHandler } from "hono";
import { Disconnected } from "../http/errors.ts";
import { defaultCacheControl } from "../http/etag.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { baseMiddleware, createApp, loadSettings } from "../middleware/app.ts";
import { anyOrigin } from "../middleware/cors.ts";
import { ownOrigin } from "../middleware/origin.ts";
import { isDisconnection } from "./disconnect.ts";
import type { SandboxEnv } from "./env.ts";
import { bindSandbox, ensureSandbox } from "./lifetime.ts";
import { completeLog, logChanged, logDelay, logRequest } from "./log/record.ts";
import { sandboxRoutes } from "./routes.ts";
import { applyRules } from "./rules/apply.ts";
import { Operations, type Apis } from "./rules/operations.ts";
import { limitData, provideStorage } from "./storage.ts";

const DOCUMENTS = ["/openapi.json", "/openapi.yaml", "/swagger.json"];

/** Whether a request is `OPTIONS` or for a document. Such requests do not create a sandbox, are not logged, and use no rule. */
const isExempt = (c: Context, base: string): boolean =>
  c.req.method === "OPTIONS" || DOCUMENTS.some((document) => c.req.path.endsWith(base + document));

/** Skips a middleware for exempt requests. Hono's `except` would do the same, but takes 20 µs per request. */
const forOperations =
  (base: string, middleware: MiddlewareHandler<SandboxEnv>): MiddlewareHandler<SandboxEnv> =>
  async (c, next) =>
    isExempt(c, base) ? next() : middleware(c, next);

/** Creates the sandbox app. Its responses are complete: the Worker passes them through unmodified. */
export function createSandboxApp(apis: Apis) {
  const app = createApp();
  const mcp = mcpRoutes(async (c, request) => {
    const response = await app.fetch(request, c.env, c.executionCtx);
    if (isDisconnection(response)) throw new Disconnected("a rule closed the connection");
    return response;
  });
  const operations = new Operations({ ...apis, "": mcp });
  const bases = Object.keys(apis);
  const below = app.basePath("/sandboxes/:sandbox");
  // Mounted first, to log the response with all its headers.
  for (const base of bases) below.use(`${base}/*`, completeLog);
  below.use("/mcp", completeLog).use("/manage/mcp", completeLog);
  app.use(...baseMiddleware);
  for (const base of bases) below.use(`${base}/*`, anyOrigin);
  below.use(loadSettings, bindSandbox, provideStorage);
  const rules = applyRules(app, operations, logDelay);
  for (const base of bases) {
    for (const middleware of [ensureSandbox, logRequest, rules, limitData]) {
      below.use(`${base}/*`, forOperations(base, middleware));
    }
  }
  // An MCP request passes its `Prefer` on to the request of the tool.
  const mcpRules = applyRules(app, operations, logDelay, { prefer: false });
  below.post("/mcp", ownOrigin, ensureSandbox, logRequest, mcpRules);
  below.post("/manage/mcp", ownOrigin, logChanged, logRequest, mcpRules);
  // Mounted after the rules, so that a rule can remove `Cache-Control`.
  below.use(defaultCacheControl);
  for (const [base, routes] of Object.entries(apis)) below.route(base, routes);
  return below.route("/", mcp).route("/", sandboxRoutes(operations));
}
