import type { Context, Hono, MiddlewareHandler, Next } from "hono";
import { matchedRoutes } from "hono/route";
import type { RouterRoute } from "hono/types";
import type { GenericSchema, ObjectEntries } from "valibot";
import type { AppEnv } from "./env.ts";
import type { ErrorSpec } from "./errors.ts";

/** What a middleware requires of a request. The log, the OpenAPI documents, and the rules of sandboxes read it. */
export interface RouteMetadata {
  /** The name of the route in the documents. */
  readonly operationId?: string;
  readonly parameters?: { readonly in: "path" | "query"; readonly entries: ObjectEntries };
  /** A file has no schema. Only JSON has a limit here, in bytes. */
  readonly body?: { readonly mediaTypes: readonly string[]; readonly schema?: GenericSchema; readonly limit?: number };
  /** The errors it throws, in the order of its checks. */
  readonly errors?: readonly ErrorSpec[];
}

/** Attaches metadata to a middleware, without changing its type. */
export const withMetadata = <Middleware extends MiddlewareHandler>(metadata: RouteMetadata, middleware: Middleware) =>
  Object.assign(middleware, { metadata });

/**
 * Names a route. This middleware does nothing else.
 * @param operationId the name of the route in the documents
 * @param errors the errors that the handler throws and no other middleware of the route declares
 */
export const operation = (operationId: string, ...errors: readonly ErrorSpec[]) =>
  withMetadata({ operationId, errors }, async (_: Context, next: Next) => next());

/** Whether a request only reads. */
export const isSafeMethod = ({ method }: { readonly method: string }): boolean => method === "GET" || method === "HEAD";

/** Returns the metadata of a route's handler. */
export const getMetadata = (handler: object): RouteMetadata =>
  "metadata" in handler ? (handler.metadata as RouteMetadata) : {};

/** An operation of an API. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** As in the documents: `/pet/{petId}`. */
  readonly path: string;
  /** The metadata of its middleware, in order. */
  readonly metadata: readonly RouteMetadata[];
}

/** Returns the operations of an API in the order of its routes. Hono lists each handler of a route separately. */
export const collectOperations = (routes: readonly RouterRoute[]): Operation[] =>
  [...Map.groupBy(routes, ({ method, path }) => `${method} ${path}`).values()].flatMap((handlers) => {
    const metadata = handlers.map(({ handler }) => getMetadata(handler));
    const operationId = metadata.map((each) => each.operationId).find(Boolean);
    const [first] = handlers;
    if (!operationId || !first) return [];
    const path = first.path.replaceAll(/:(\w+)/g, "{$1}").replace(/\/$/, "");
    return [{ operationId, method: first.method, path, metadata }];
  });

/** Returns the value of `Allow` for a path with these methods. */
export const toAllow = (methods: readonly string[]): string =>
  [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : method))), "OPTIONS"].join(", ");

/** Returns the methods that the router finds at a request's path, in the order of their routes. */
export function findMethods({ router, routes }: Pick<Hono<AppEnv>, "router" | "routes">, c: Context): string[] {
  const isFound = (route: RouterRoute) =>
    router.match(route.method, c.req.path)[0].some(([[, each]]) => each === route);
  return routes.filter((route) => route.method !== "ALL" && isFound(route)).map(({ method }) => method);
}

/** Finds the first handler of the operation that a request addresses, even before it runs. */
const findOperation = (c: Context) => matchedRoutes(c).find(({ handler }) => getMetadata(handler).operationId);

/** Returns the ID of the operation that a request addresses, if any. */
export const findOperationId = (c: Context): string | undefined =>
  getMetadata(findOperation(c)?.handler ?? {}).operationId;

/** Returns the metadata of the operation that a request addresses, in the order of its middleware. */
function getOperationMetadata(c: Context): readonly RouteMetadata[] {
  const found = findOperation(c);
  return matchedRoutes(c)
    .filter(({ method, path }) => method === found?.method && path === found.path)
    .map(({ handler }) => getMetadata(handler));
}

/** Returns the errors of the operation that a request addresses, in the order of its checks. */
export const getDeclaredErrors = (c: Context): readonly ErrorSpec[] =>
  getOperationMetadata(c).flatMap(({ errors = [] }) => errors);

/** Returns the limit of the operation's JSON body in bytes, if it has one. */
export const getJsonLimit = (c: Context): number | undefined =>
  getOperationMetadata(c).find(({ body }) => body?.limit !== undefined)?.body?.limit;
