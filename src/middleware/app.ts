import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { requestId } from "hono/request-id";
import { TrieRouter } from "hono/router/trie-router";
import { secureHeaders } from "hono/secure-headers";
import { Hono } from "hono/tiny";
import { Unavailable, errorChain } from "../db/errors.ts";
import { sendAsset, wantsPage } from "../http/assets.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError, Disconnected } from "../http/errors.ts";
import { findMethods, isSafeMethod, toAllow } from "../http/operation.ts";
import { createJson } from "../http/send-json.ts";
import { getSettings } from "../http/settings.ts";
import { drain } from "./drain.ts";
import { log } from "./log.ts";

export const NOT_FOUND = [404, "Not found"] as const;
export const METHOD_NOT_ALLOWED = [405, "Method not allowed"] as const;
export const INTERNAL_ERROR = [500, "Internal server error"] as const;
export const UNAVAILABLE = [503, "Service unavailable", { "Retry-After": "1" }] as const;

/** Creates an app with the handlers for unknown paths and errors, for the Worker and for a sandbox. */
export function createApp() {
  // Hono's default also has RegExpRouter, with which the start takes 1.3 ms longer.
  const app = new Hono<AppEnv>({ strict: false, router: new TrieRouter() });
  app.notFound((c) => notFound(c, app));
  app.onError((error, c) => onError(error, c, app));
  return app;
}

/** Sets `Date` (RFC 9110, section 6.6.1), which Cloudflare adds but workerd alone does not. */
const dateHeader = createMiddleware(async (c, next) => {
  await next();
  c.res.headers.set("Date", new Date().toUTCString());
});

/** The middleware of every response that the Worker or a sandbox creates. */
export const baseMiddleware = [
  // Generate our own ID: a client-supplied one might belong to another request.
  requestId({ headerName: "" }),
  log,
  drain,
  dateHeader,
  secureHeaders({
    // Pages of other origins may embed the images.
    crossOriginResourcePolicy: "cross-origin",
    // Without includeSubDomains, because the domain's other hosts may not support HTTPS.
    strictTransportSecurity: "max-age=31536000",
    // These headers are only for pages in old browsers, and a sandbox's rules may set them.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    removePoweredBy: false,
  }),
] as const;

/** Reads the settings. Fails every request if a setting is missing, so that a missing secret never grants access. */
export const loadSettings = createMiddleware<AppEnv>(async (c, next) => {
  c.set("settings", getSettings(c.env));
  c.set("mount", "");
  await next();
});

/** Responds to a method that a path does not have: 204 for `OPTIONS`, otherwise 405. */
export function rejectMethod(c: Context<AppEnv>, methods: readonly string[]): Response {
  const allow = toAllow(methods);
  if (c.req.method === "OPTIONS") {
    return new Response(null, { status: 204, headers: { Allow: allow } });
  }
  return sendError(c, new ApiError([...METHOD_NOT_ALLOWED, { Allow: allow }]));
}

/** Returns 405 for a method that the path does not have; otherwise 404: for a browser, a page that links to the documentation. */
function notFound(c: Context<AppEnv>, app: Hono<AppEnv>): Response | Promise<Response> {
  const methods = findMethods(app, c);
  const isKnown = methods.includes(isSafeMethod(c.req) ? "GET" : c.req.method);
  if (methods.length > 0 && !isKnown) return rejectMethod(c, methods);
  if (!isSafeMethod(c.req) || !wantsPage(c)) return sendError(c, new ApiError([...NOT_FOUND, { Vary: "Accept" }]));
  c.header("Vary", "Accept");
  return sendAsset(c, "/docs/missing", 404);
}

/** Errors of SQLite and D1 that our own SQL causes. Others, such as `SQLITE_BUSY`, mean that the database failed. */
const INVALID_SQL = /SQLITE_(?:AUTH|CONSTRAINT|ERROR|MISMATCH|MISUSE|RANGE|SCHEMA|TOOBIG)|D1_(?:COLUMN|TYPE)/;

const isBug = (error: Error): boolean =>
  [RangeError, ReferenceError, TypeError].some((type) => error instanceof type) || INVALID_SQL.test(error.message);

/** Renders every error, both expected and unexpected. A 405 for an invalid body has the methods of its path. */
function onError(error: Error, c: Context<AppEnv>, app: Hono<AppEnv>): Response {
  if (error instanceof Disconnected) throw error;
  const causes = [...errorChain(error)];
  // A sandbox's storage throws `ApiError` beyond its limits, so this error may be the cause of a failed call.
  const expected = causes.find((each) => each instanceof ApiError);
  if (expected) {
    const response = sendError(c, expected);
    if (response.status === 405) response.headers.set("Allow", toAllow(findMethods(app, c)));
    return response;
  }
  const isUnavailable = causes.some((each) => each instanceof Unavailable) && !causes.some(isBug);
  return sendError(c, new ApiError(isUnavailable ? UNAVAILABLE : INTERNAL_ERROR));
}

function sendError(c: Context<AppEnv>, { status, message, headers, fieldErrors }: ApiError): Response {
  if (fieldErrors) c.set("fieldErrors", fieldErrors);
  const body = { code: status, type: "error", message, errors: fieldErrors };
  return createJson(c, body, status, { "Cache-Control": "private, no-cache", ...headers });
}
