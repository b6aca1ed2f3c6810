import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { methodNotAllowed } from "hono/method-not-allowed";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { sendAsset, wantsPage } from "../http/assets.ts";
import { isRead } from "../http/operation.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { drain } from "./drain.ts";
import { log } from "./log.ts";
import { Unavailable, causesOf } from "../db/retry.ts";
import { readSettings } from "../http/settings.ts";

export const NOT_FOUND = [404, "Not found"] as const;
export const METHOD_NOT_ALLOWED = [405, "Method not allowed"] as const;
export const INTERNAL_ERROR = [500, "Internal server error"] as const;
export const UNAVAILABLE = [503, "Service unavailable", { "Retry-After": "1" }] as const;

/** Makes an app with our handlers of unknown paths and of errors, for the Worker and for a sandbox. */
export function createApp() {
  const app = new Hono<AppEnv>({ strict: false });
  app.notFound(notFound);
  app.onError(onError);
  return app;
}

/** RFC 9110, section 6.6.1: Cloudflare adds a date, but workerd alone does not. */
const dated = createMiddleware(async (c, next) => {
  await next();
  c.res.headers.set("Date", new Date().toUTCString());
});

/** What surrounds every answer that is made here, in the Worker and in a sandbox. */
export const surroundings = [
  // Its own id, never that of the client, which could be another request's.
  requestId({ headerName: "" }),
  log,
  drain,
  dated,
  secureHeaders({
    // Pages of other origins may show the images.
    crossOriginResourcePolicy: "cross-origin",
    // Without includeSubDomains: the other hosts of the domain are not ours to decide about.
    strictTransportSecurity: "max-age=31536000",
    // Headers for pages in old browsers. The rules of a sandbox may set them.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    removePoweredBy: false,
  }),
] as const;

/** Sets what each request needs of the settings. Without them nothing is answered, so that a missing secret opens no door. */
export const settings = createMiddleware<AppEnv>(async (c, next) => {
  c.set("settings", readSettings(c.env));
  c.set("mount", "");
  await next();
});

/** Answers 405, and `OPTIONS`, at the paths of an app. In a sandbox inside of the record and the rules, which see it then. */
export const refuseMethods = (app: Hono<AppEnv>) => methodNotAllowed({ app, onMethodNotAllowed: refuseMethod });

/** Responds to a method that a path lacks: 405, or 204 to `OPTIONS`, with `Allow`. */
export function refuseMethod(c: Context<AppEnv>, methods: readonly string[]): Response {
  const allow = [...methods, "OPTIONS"].join(", ");
  if (c.req.method === "OPTIONS") {
    return new Response(null, { status: 204, headers: { Allow: allow } });
  }
  return sendError(c, new ApiError([...METHOD_NOT_ALLOWED, { Allow: allow }]));
}

/** A browser gets a page that links to the documentation. */
function notFound(c: Context<AppEnv>): Response | Promise<Response> {
  if (!isRead(c.req) || !wantsPage(c)) return sendError(c, new ApiError([...NOT_FOUND, { Vary: "Accept" }]));
  c.header("Vary", "Accept");
  return sendAsset(c, "/docs/missing", 404);
}

/** Errors of SQLite and D1 that our own SQL caused. Others, such as `SQLITE_BUSY`, are faults of the database. */
const WRONG_SQL = /SQLITE_(?:AUTH|CONSTRAINT|ERROR|MISMATCH|MISUSE|RANGE|SCHEMA|TOOBIG)|D1_(?:COLUMN|TYPE)/;

const isBug = (error: Error): boolean =>
  [RangeError, ReferenceError, TypeError].some((type) => error instanceof type) || WRONG_SQL.test(error.message);

/** The only place where an error becomes an answer. */
function onError(error: Error, c: Context<AppEnv>): Response {
  const causes = [...causesOf(error)];
  // The bindings of a sandbox refuse what is beyond its limits, so the refusal may be the cause of a failed call.
  const refusal = causes.find((each) => each instanceof ApiError || each instanceof HTTPException);
  if (refusal) return sendError(c, refusal);
  const isUnavailable = causes.some((each) => each instanceof Unavailable) && !causes.some(isBug);
  return sendError(c, new ApiError(isUnavailable ? UNAVAILABLE : INTERNAL_ERROR));
}

function sendError(c: Context<AppEnv>, error: ApiError | HTTPException): Response {
  const { status, message } = error;
  const { errors, headers = {} } = error instanceof ApiError ? error : {};
  if (errors) c.set("fieldErrors", errors);
  // Not `c.json`: it would add the headers that a handler set before it failed.
  return Response.json(
    { code: status, type: "error", message, errors },
    { status, headers: { "Cache-Control": "private, no-cache", ...headers } },
  );
}
