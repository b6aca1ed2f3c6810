import { Hono } from "hono/tiny";
import type { Context } from "hono";
import { BASE_PATHS } from "./http/base-path.ts";
import type { App, MatchedRoute } from "./http/context.ts";
import { ApiError, retryAfter } from "./http/errors.ts";
import type { Endpoint } from "./http/handler.ts";
import type { Operation } from "./http/operation.ts";
import { faultOf, recordRequest } from "./http/record.ts";
import type { RequestRecord } from "./http/record.ts";
import { respond } from "./http/respond.ts";
import { Full, Unavailable } from "./platform/failures.ts";
import { fixedFirst, interfaces, routes } from "./routes.ts";
import type { Route } from "./routes.ts";
import type { Services } from "./services.ts";
import { authenticate } from "./user/authenticate.ts";

/**
 * Where the app runs: in the Worker (src/worker.ts), or in the object of a sandbox (src/sandbox/object.ts).
 * @typeParam Bindings what the home passes to `fetch`
 * @typeParam Here what its own routes need besides the services
 */
export interface Home<Bindings, Here> {
  /** The routes of this home besides the interfaces. */
  readonly routes: readonly Route<Here>[];
  /** The path to match against the routes, with at most one trailing slash. */
  pathOf(request: Request): string;
  /**
   * Handles a request: makes the services and calls `answer`, or forwards the request. Not called for `OPTIONS`, which
   * needs no store; besides, a page could not read a preflight's 429 or 503.
   */
  handle(
    arrival: Arrival<Bindings>,
    answer: (services: Services & Here) => Promise<Response>,
  ): Promise<Response>;
  /** Logs or records a request after its answer. */
  note(record: RequestRecord, bindings: Bindings, c: Context<App>): void;
}

/** A request, after routing. */
export interface Arrival<Bindings> {
  readonly c: Context<App>;
  readonly bindings: Bindings;
  /** `undefined` for an unknown path, or a method that the path does not have. */
  readonly operation: Operation | undefined;
}

/** The service, as one home runs it. */
export interface Service<Bindings> {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>;
}

/** The endpoints of one path at one base path, by method. */
interface Served<Here> {
  readonly endpoints: ReadonlyMap<string, Endpoint<Here>>;
  readonly route: MatchedRoute;
}

/** Hono tries one pattern after another, so both base paths, and all methods of a path, share one. */
const ANY_BASE_PATH = `/:base{${BASE_PATHS.map((basePath) => basePath.slice(1)).join("|")}}`;

/** Makes the service: the interfaces, and the home's own routes. */
export function createApp<Bindings extends object, Here>(
  home: Home<Bindings, Here>,
): Service<Bindings> {
  const root = new Hono<App>({ getPath: (request) => home.pathOf(request) });

  // The only middleware: each layer costs time in every request.
  root.use(recordRequest((record, c) => home.note(record, c.env as Bindings, c)));

  const answer = async (c: Context<App>, { endpoints, route }: Served<Here>) => {
    c.set("route", route);
    const { method, raw } = c.req;
    const { allow, isPrivate } = route;
    if (method === "OPTIONS") {
      const granted = isPrivate ? {} : preflight(c, allow);
      return respond(c, 204, undefined, { Allow: allow, ...granted });
    }
    const endpoint = endpoints.get(method);
    const arrival = { c, bindings: c.env as Bindings, operation: endpoint?.operation };
    return home.handle(arrival, async (services) => {
      if (!endpoint) throw ApiError.general("wrongMethod");
      c.set("services", services);
      const principal = await authenticate(endpoint.operation, raw.headers, services);
      return endpoint.answer(c, services, principal);
    });
  };

  const atBasePaths = new Map<string, ReadonlyMap<string, Served<Here>>>(
    interfaces.map(({ basePath, routes: table }) => [basePath, byPath(basePath, table)]),
  );
  for (const path of new Set(fixedFirst(routes).map((route) => route.path))) {
    root.all(ANY_BASE_PATH + path, async (c, next) => {
      const served = atBasePaths.get(`/${c.req.param("base")}`)?.get(path);
      return served ? answer(c, served) : next();
    });
  }
  for (const [path, served] of byPath("", fixedFirst(home.routes))) {
    root.all(path, async (c) => answer(c, served));
  }
  root.all("*", async (c) => {
    if (c.req.method === "OPTIONS") return notFound();
    return home.handle({ c, bindings: c.env as Bindings, operation: undefined }, notFound);
  });

  root.onError((error, c) => {
    const { status, body, details } = toApiError(error, c);
    if (body.errors) c.set("refused", body.errors);
    return respond(c, status, details.body ?? body, {
      // Every 405 needs `Allow` (RFC 9110 §15.5.6), even that of an invalid pet. At an unknown path, where only a fault
      // rule or `Prefer` makes a 405, it is `OPTIONS`, because workerd drops an empty header.
      ...(status === 405 && { Allow: c.get("route")?.allow ?? "OPTIONS" }),
      ...retryAfter(status),
      ...details.headers,
    });
  });
  return root;
}

/** The endpoints of a table, by path. */
function byPath<Here>(
  basePath: string,
  table: readonly Route<Here>[],
): ReadonlyMap<string, Served<Here>> {
  const served = new Map<string, Served<Here>>();
  for (const [path, group] of Map.groupBy(table, (each) => each.path)) {
    const endpoints = new Map<string, Endpoint<Here>>();
    for (const { method, endpoint } of group) {
      endpoints.set(method, endpoint);
      if (method === "GET") endpoints.set("HEAD", endpoint);
    }
    const has = (member: "noStore" | "private") =>
      group.some(({ endpoint }) => endpoint.operation[member]);
    const allow = [...endpoints.keys(), "OPTIONS"].join(", ");
    const route = { basePath, path, allow, noStore: has("noStore"), isPrivate: has("private") };
    served.set(path, { endpoints, route });
  }
  return served;
}

async function notFound(): Promise<never> {
  throw ApiError.general("unknownPath");
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

/** Converts any error to an answer. Details of an unexpected one go to the log, never to the client. */
function toApiError(error: Error, c: Context<App>): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Full) return new ApiError([507, error.message]);
  c.set("fault", faultOf(error));
  return ApiError.general(error instanceof Unavailable ? "unavailable" : "defect");
}
