import { Hono } from "hono";
import type { Context, MiddlewareHandler } from "hono";
import { requestId } from "hono/request-id";
import { SANDBOX_PATH, isSandboxName } from "./http/base-path.ts";
import { ApiError, retryAfter } from "./http/errors.ts";
import { exchanges } from "./http/exchange.ts";
import type { App, Exchange } from "./http/exchange.ts";
import { faultOf } from "./http/log.ts";
import { JsonText } from "./http/operation.ts";
import { respond } from "./http/respond.ts";
import { Full, Unavailable } from "./platform/failures.ts";
import { interfaces } from "./routes.ts";
import type { Route } from "./routes.ts";
import { authenticate } from "./user/authenticate.ts";

/**
 * Where the app runs: in the Worker (src/worker.ts), or in the object of a sandbox (src/sandbox/object.ts).
 * @typeParam Bindings what the home passes to `fetch`
 * @typeParam Here what its own handlers need besides the services
 */
interface Home<Bindings extends object, Here> {
  /** Its own routes, besides those of the interfaces, by the path that they are below. */
  readonly routes: Readonly<Record<string, readonly Route<Here>[]>>;
  /**
   * Makes the services for a request and lets the app answer, or answers itself. Not called for `OPTIONS`: it needs no
   * store, and a page could not read a preflight's 429 or 503.
   */
  readonly serve: MiddlewareHandler<App<Bindings, Here>>;
  /** Logs a request after its answer. */
  readonly note: (exchange: Exchange<Here>, answer: Response, bindings: Bindings) => void;
}

/** Makes the service: both interfaces, for the store and for each sandbox, and the home's own routes. */
export function createApp<Bindings extends object, Here>(
  home: Home<Bindings, Here>,
): Hono<App<Bindings, Here>> {
  type Types = App<Bindings, Here>;
  const app = new Hono<Types>({ strict: false });

  // A header's name would let clients choose the id.
  app.use(requestId({ headerName: "" }));
  app.use(exchanges(home.note));

  app.use(`${SANDBOX_PATH}/*`, async (c, next) => {
    const { exchange } = c.var;
    const name = c.req.param("store");
    // No route is set, so the home answers that there is no such path.
    if (!isSandboxName(name, c.req.url)) return home.serve(c, next);
    const path = `/stores/${name}`;
    exchange.sandbox = { name, path };
    exchange.path = exchange.path.slice(path.length);
    return next();
  });

  for (const below of ["", SANDBOX_PATH]) {
    for (const { basePath, routes } of interfaces) {
      app.use(`${below}${basePath}/*`, async (c, next) => {
        c.var.exchange.basePath = basePath;
        return next();
      });
      register(app.basePath(below + basePath), routes, home.serve, basePath);
    }
  }
  for (const [below, routes] of Object.entries(home.routes)) {
    register(app.basePath(below || "/"), routes, home.serve, below);
  }
  app.options("*", unknownPath);
  app.all("*", home.serve, unknownPath);

  app.onError((error, c) => {
    const { exchange } = c.var;
    const { status, body, details } = toApiError(error, exchange);
    if (body.errors) exchange.errors = body.errors;
    const { headers, text } = details;
    return respond(exchange, status, text === undefined ? body : new JsonText(text), {
      // Every 405 needs `Allow` (RFC 9110 §15.5.6), even that of an invalid pet. At an unknown path, where only a fault
      // rule or `Prefer` makes a 405, it is `OPTIONS`, because workerd drops an empty header.
      ...(status === 405 && { Allow: exchange.route?.allow ?? "OPTIONS" }),
      ...retryAfter(status),
      ...headers,
    });
  });
  return app;
}

function unknownPath(): never {
  throw ApiError.general("unknownPath");
}

function wrongMethod(): never {
  throw ApiError.general("wrongMethod");
}

/**
 * Registers routes. `hono/method-not-allowed` would not do: the home must see the request before the 405, and that middleware
 * ignores a 404 that was thrown.
 */
function register<Bindings extends object, Here>(
  app: Hono<App<Bindings, Here>>,
  routes: readonly Route<Here>[],
  serve: MiddlewareHandler<App<Bindings, Here>>,
  prefix: string,
): void {
  for (const [path, group] of Map.groupBy(routes, (each) => each.path)) {
    // Hono would add a slash to the base path for an empty one.
    const at = path || "/";
    const methods = group.flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : method));
    const has = (member: "noStore" | "private") =>
      group.some(({ endpoint }) => endpoint.operation[member]);
    const allow = [...methods, "OPTIONS"].join(", ");
    const route = { prefix, path, allow, noStore: has("noStore"), isPrivate: has("private") };

    app.all(at, async (c, next) => {
      const { exchange } = c.var;
      exchange.route = route;
      exchange.params = c.req.param();
      const method = c.req.method === "HEAD" ? "GET" : c.req.method;
      exchange.operation = group.find((each) => each.method === method)?.endpoint.operation;
      if (method !== "OPTIONS") return serve(c, next);
      const granted = route.isPrivate ? {} : preflight(c.req.raw.headers, allow);
      return respond(exchange, 204, undefined, { Allow: allow, ...granted });
    });
    for (const { method, endpoint } of group) {
      // Hono answers HEAD as GET, without the body.
      app.on(method, at, async ({ var: { exchange } }: Context<App<Bindings, Here>>) => {
        const { request, services } = exchange;
        if (!services || !endpoint.answer) throw new Error("the home must answer this request");
        exchange.principal = await authenticate(endpoint.operation, request, services);
        return endpoint.answer(exchange, services);
      });
    }
    app.all(at, wrongMethod);
  }
}

/** Answers a browser's preflight for a request from another origin (interface §7.1: any origin, no credentials). */
function preflight(asked: Headers, allow: string): Record<string, string> {
  if (!asked.get("Access-Control-Request-Method")) return {};
  const headers = asked.get("Access-Control-Request-Headers");
  return {
    "Access-Control-Allow-Methods": allow,
    ...(headers && { "Access-Control-Allow-Headers": headers }),
    "Access-Control-Max-Age": "86400",
    Vary: "Access-Control-Request-Headers",
  };
}

/** Converts any error to an answer. Details of an unexpected one go to the log, never to the client. */
function toApiError(error: Error, exchange: Exchange): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Full) return new ApiError([507, error.message]);
  exchange.fault = faultOf(error);
  return ApiError.general(error instanceof Unavailable ? "unavailable" : "defect");
}
