import { Hono } from "hono/tiny";
import type { Context } from "hono";
import { getPath } from "hono/utils/url";
import type { App } from "./http/context.ts";
import type { Services } from "./services.ts";
import { ApiError, retryAfter } from "./http/errors.ts";
import type { Endpoint } from "./http/handler.ts";
import type { Operation } from "./http/operation.ts";
import { faultOf, recordRequest } from "./http/record.ts";
import type { RequestRecord } from "./http/record.ts";
import { respond } from "./http/respond.ts";
import { fixedFirst, interfaces } from "./routes.ts";
import type { Route } from "./routes.ts";
import { sandboxIn } from "./sandbox/name.ts";
import { Full, Unavailable } from "./platform/failures.ts";
import { authenticate } from "./user/authenticate.ts";

/**
 * Where the app runs: in the Worker (src/worker.ts), or in the object of a sandbox (src/sandbox/object.ts).
 * @typeParam Bindings what the home passes to `fetch`
 * @typeParam Here what its own routes need besides the services
 */
export interface Home<Bindings, Here> {
  /** The routes of this home besides the interface. */
  readonly routes: readonly Route<Here>[];
  /**
   * Answers a request: makes its services and calls `answer`, or gets the answer from elsewhere. No `OPTIONS` comes
   * here: it needs no store, and a page cannot read the 429 or 503 of a preflight.
   */
  serve(request: Arrival<Bindings>, answer: Answerer<Here>): Promise<Response>;
  /** Notes a request after its answer. */
  note(record: RequestRecord, bindings: Bindings, c: Context<App>): void;
}

/** A request that was routed. */
export interface Arrival<Bindings> {
  readonly c: Context<App>;
  readonly bindings: Bindings;
  /** `undefined` for an unknown path or another method. */
  readonly operation: Operation | undefined;
}

/** @throws ApiError */
export type Answerer<Here> = (services: Services & Here) => Promise<Response>;

/** The service, as one home runs it. */
export interface Service<Bindings> {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>;
}

/** Makes the service. Both homes have the same routes, the same way through them, and the same errors. */
export function createApp<Bindings extends object, Here>(
  home: Home<Bindings, Here>,
): Service<Bindings> {
  // The router accepts at most one slash at the end of a path.
  const root = new Hono<App>({ getPath: routedPath });

  // Hono runs this handler for every request, unknown paths included. Another layer would cost time in all of them.
  root.use(recordRequest((record, c) => home.note(record, c.env as Bindings, c)));

  const serve = (basePath: string, served: readonly Route<Here>[]) => {
    const app = root.basePath(basePath);
    // All methods of a path share one route, because each route costs time when a Worker starts and at every request.
    for (const [path, endpoints] of Map.groupBy(fixedFirst(served), (route) => route.path)) {
      const byMethod = new Map<string, Endpoint<Here>>();
      for (const { method, endpoint } of endpoints) {
        byMethod.set(method, endpoint);
        if (method === "GET") byMethod.set("HEAD", endpoint);
      }
      const allow = [...byMethod.keys(), "OPTIONS"].join(", ");
      const noStore = endpoints.some(({ endpoint }) => endpoint.operation.noStore);
      const isPrivate = endpoints.some(({ endpoint }) => endpoint.operation.private);
      const route = { path: basePath + path, allow, noStore, isPrivate };
      app.all(path, async (c) => {
        c.set("route", route);
        const { method, raw } = c.req;
        if (method === "OPTIONS") {
          const granted = isPrivate ? {} : preflight(c, allow);
          return respond(c, 204, undefined, { Allow: allow, ...granted });
        }
        const endpoint = byMethod.get(method);
        const arrival = { c, bindings: c.env as Bindings, operation: endpoint?.operation };
        return home.serve(arrival, async (services) => {
          if (!endpoint) throw ApiError.general(405);
          c.set("services", services);
          const principal = await authenticate(endpoint.operation, raw.headers, services);
          return endpoint.serve(c, services, principal);
        });
      });
    }
  };
  for (const { basePath, routes } of interfaces) serve(basePath, routes);
  serve("", home.routes);
  root.all("*", async (c) => {
    if (c.req.method === "OPTIONS") return notFound();
    return home.serve({ c, bindings: c.env as Bindings, operation: undefined }, notFound);
  });

  root.onError((error, c) => {
    const answer = toApiError(error, c);
    const { body, details } = answer;
    if (body.errors) c.set("refused", body.errors);
    // Every 405 has `Allow` (RFC 9110 §15.5.6), even for an invalid pet, or on demand for an unknown path: workerd would
    // drop an empty one.
    const allow = answer.status === 405 ? { Allow: c.get("route")?.allow ?? "OPTIONS" } : {};
    return respond(c, answer.status, details.body ?? body, { ...allow, ...details.headers });
  });
  return root;
}

async function notFound(): Promise<never> {
  throw ApiError.general(404);
}

/** The path that the router matches: without the path of a sandbox, because every sandbox has the same routes. */
function routedPath(request: Request): string {
  const sandbox = sandboxIn(request.url);
  const url = sandbox?.isInterface ? request.url.replace(sandbox.path, "") : request.url;
  const path = getPath({ url } as Request);
  // Else a route would find a sandbox in a path that names none.
  return sandbox || !path.startsWith("/stores/") ? path : new URL(url).pathname;
}

/** Answers a browser's preflight for a request from another origin (interface §7.1: any origin, no credentials). */
function preflight(c: Context<App>, allow: string): Record<string, string> {
  if (!c.req.header("Access-Control-Request-Method")) return {};
  const headers = c.req.header("Access-Control-Request-Headers");
  return {
    "Access-Control-Allow-Methods": allow,
    ...(headers && { "Access-Control-Allow-Headers": headers }),
    "Access-Control-Max-Age": "86400",
    Vary: "Access-Control-Request-Headers",
  };
}

/**
 * The error as an answer. The client sees nothing internal: an unexpected error becomes a general answer, and goes to
 * the log.
 */
function toApiError(error: Error, c: Context<App>): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Full) return new ApiError(507, error.message);
  c.set("fault", faultOf(error));
  return error instanceof Unavailable
    ? ApiError.general(503, { headers: retryAfter(503) })
    : ApiError.general(500);
}
