import { Hono } from "hono/tiny";
import type { Context } from "hono";
import { getPath } from "hono/utils/url";
import type { App, FoundRoute } from "./context.ts";
import { admission } from "./admit.ts";
import { ApiError, retryAfter } from "./http/errors.ts";
import type { Endpoint } from "./http/handler.ts";
import { faultOf, recordRequest } from "./http/record.ts";
import { respond } from "./http/respond.ts";
import { signpost } from "./http/signpost.ts";
import { BASE_PATH } from "./base-path.ts";
import { fixedFirst, routes } from "./routes.ts";
import type { Route } from "./routes.ts";
import { NAME_RULE, storeIn } from "./stores/name.ts";
import { STORE, storeRoutes } from "./stores/routes.ts";
import { storeDocument, storePage } from "./stores/site.ts";
import { Full, Unavailable } from "./unavailable.ts";
import { authenticate } from "./user/authenticate.ts";

/**
 * The service.
 * @param now the clock, in milliseconds since the epoch
 */
export function createApp(now: () => number = Date.now): Hono<App> {
  // The router accepts at most one slash at the end of a path.
  const root = new Hono<App>({ getPath: routedPath });
  const admit = admission(now);
  /**
   * Answers a request after it is admitted. `route` is `undefined` for an unknown path. `OPTIONS` skips admission: it
   * needs no store, and a page cannot read the 429 or 503 of a preflight.
   */
  const answering =
    (route: FoundRoute | undefined, answer: Answer, byMethod?: ReadonlyMap<string, Endpoint>) =>
    async (c: Context<App>) => {
      const { method } = c.req;
      c.set("route", route);
      if (method === "OPTIONS") return answer(c);
      await admit(c);
      const around = c.get("around");
      if (!around) return answer(c);
      return around(byMethod?.get(method)?.operation, async () => answer(c));
    };

  // Hono runs this handler for every request, unknown paths included. Another layer would cost time in all of them.
  root.use(recordRequest(now));

  const serve = (app: Hono<App>, served: readonly Route[]) => {
    // All methods of a path share one route, because each route costs time when a Worker starts and at every request.
    for (const [path, endpoints] of Map.groupBy(fixedFirst(served), (route) => route.path)) {
      const byMethod = new Map<string, Endpoint>();
      for (const { method, endpoint } of endpoints) {
        byMethod.set(method, endpoint);
        if (method === "GET") byMethod.set("HEAD", endpoint);
      }
      const allow = [...byMethod.keys(), "OPTIONS"].join(", ");
      const noStore = endpoints.some(({ endpoint }) => endpoint.operation.noStore);
      const answer: Answer = async (c) => {
        const { method, raw } = c.req;
        if (method === "OPTIONS") {
          return respond(c, 204, undefined, { Allow: allow, ...preflight(c, allow) });
        }
        const endpoint = byMethod.get(method);
        if (!endpoint) throw ApiError.general(405);
        const services = c.get("services");
        const principal = await authenticate(endpoint.operation, raw.headers, services);
        return endpoint.serve(c, services, principal);
      };
      app.all(path, answering({ path, allow, noStore }, answer, byMethod));
    }
  };
  const app = root.basePath(BASE_PATH);
  for (const path of ["/stores", STORE]) root.get(path, storePage);
  app.get("/:document{openapi\\.json|swagger\\.json}", storeDocument);
  serve(app, routes);
  serve(root, storeRoutes);
  // Below the base path, every client gets JSON. Elsewhere, a browser gets a link to the page.
  app.all(
    "/:first/*",
    answering(undefined, () => {
      throw ApiError.general(404);
    }),
  );
  root.all(
    "/stores/:first/*",
    answering(undefined, (c) => {
      const errors = storeIn(c.req.url) ? [] : [{ path: "store", message: NAME_RULE }];
      throw ApiError.general(404, { errors });
    }),
  );
  root.all("*", answering(undefined, signpost));

  root.onError((error, c) => {
    const answer = toApiError(error, c);
    const { body } = answer;
    if (body.errors) c.set("refused", body.errors);
    // Every 405 has `Allow` (RFC 9110 §15.5.6), even for an invalid pet.
    const allow = answer.status === 405 ? { Allow: c.get("route")?.allow ?? "" } : {};
    return respond(c, answer.status, body, { ...allow, ...answer.details.headers });
  });
  return root;
}

type Answer = (c: Context<App>) => Response | Promise<Response>;

/** The path that the router matches: without the path of a store, because every store has the same routes. */
function routedPath(request: Request): string {
  const store = storeIn(request.url);
  const url = store?.isInterface ? request.url.replace(store.path, "") : request.url;
  const path = getPath({ url } as Request);
  // Else a route would find a store in a path that names none.
  return store || !path.startsWith("/stores/") ? path : new URL(url).pathname;
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
