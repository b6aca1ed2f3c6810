import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { Hono } from "hono/tiny";
import { ATTEMPTS, retry } from "../db/retry.ts";
import { UNAUTHENTICATED, hasApiKey } from "../http/access.ts";
import { resolvePath, resolveUrl } from "../http/address.ts";
import { sendAsset, wantsPage } from "../http/assets.ts";
import { JSON_TYPE, checkJson } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { isSafeMethod } from "../http/operation.ts";
import { checkLength, readBody } from "../http/read-body.ts";
import { getSettings } from "../http/settings.ts";
import { NOT_FOUND } from "../middleware/app.ts";
import { hasValidHost } from "../middleware/host.ts";
import { logLine } from "../middleware/log.ts";
import { countRequest } from "../middleware/rate-limit.ts";
import { INVALID_DATA, MAX_BODY_BYTES } from "./data.ts";
import { disconnect, isDisconnection } from "./disconnect.ts";
import { noSandbox } from "./errors.ts";
import { SANDBOX_URL, sandboxLinks } from "./names.ts";

/** Sends a request to the Durable Object of a sandbox. Throws `Unavailable`. */
async function fetchSandbox(c: Context<AppEnv>, name: string, request: Request): Promise<Response> {
  // After an error a stub may be broken, so each attempt gets a new one.
  const call = async () => c.env.SANDBOXES.getByName(name).fetch(request);
  return retry(call, isSafeMethod(request) ? ATTEMPTS : 1);
}

/** Whether the Worker itself responds: to an invalid name or host, and with the page for browsers. */
const isForWorker = (c: Context) =>
  !SANDBOX_URL.test(c.req.url) ||
  !hasValidHost(c.req.raw) ||
  (isSafeMethod(c.req) && wantsPage(c) && /^\/sandboxes\/[^/]+$/.test(c.req.path));

/**
 * Proxies requests to the Durable Object of a sandbox, and passes its responses through unmodified. Requests that the Worker
 * handles or rejects go on to the next middleware.
 */
export const proxySandbox = createMiddleware<AppEnv>(async (c, next) => {
  if (isForWorker(c)) return next();
  const began = Date.now();
  let response: Response;
  try {
    if (getSettings(c.env).sandboxCreation === "nobody") return next();
    await countRequest(c);
    response = await fetchSandbox(c, c.req.param("sandbox") ?? "", c.req.raw);
    if (c.get("limiterError") !== undefined) logLine(c, response, began);
  } catch (error) {
    c.set("proxyError", error);
    return next();
  }
  return isDisconnection(response) ? disconnect(c) : response;
});

/** Throws the error of a request that could not be proxied, inside the Worker's base middleware. */
export const throwProxyError = createMiddleware<AppEnv>(async (c, next) => {
  if (c.get("proxyError") !== undefined) throw c.get("proxyError");
  await next();
});

/** Sends a page to browsers. Its links are relative, so its path ends with a slash. */
const sendPage = (asset: string) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (!isSafeMethod(c.req) || !wantsPage(c)) return next();
    const { pathname } = new URL(c.req.url);
    if (!pathname.endsWith("/")) return c.redirect(`${resolvePath(c, pathname)}/`);
    c.header("Vary", "Accept");
    return sendAsset(c, asset);
  });

/** Rejects an invalid sandbox name. A browser gets a page that describes valid names. */
const requireValidName = createMiddleware<AppEnv>(async (c, next) => {
  if (SANDBOX_URL.test(c.req.url)) return next();
  if (!wantsPage(c)) throw noSandbox("must have 16 to 64 of A-Z, a-z, 0-9, _ and -");
  c.header("Vary", "Accept");
  return sendAsset(c, "/docs/misnamed", 404);
});

/** The routes of the Worker below `/sandboxes`. */
export const sandboxes = new Hono<AppEnv>()
  .use(async (c, next) => {
    if (c.get("settings").sandboxCreation === "nobody") throw new ApiError(NOT_FOUND);
    await next();
  })
  // Not a route, because clients that are not browsers cannot use GET.
  .use("/", sendPage("/sandboxes/page/"))
  .post("/", async (c) => {
    checkLength(c, MAX_BODY_BYTES);
    const { sandboxCreation } = c.get("settings");
    if (sandboxCreation === "key" && !(await hasApiKey(c))) throw new ApiError(UNAUTHENTICATED);
    const name = crypto.randomUUID();
    // `curl -X POST -d ''` sends a media type, but no data.
    const isEmpty = !c.req.raw.body || c.req.header("Content-Length") === "0";
    if (!isEmpty) checkJson(c);
    const sent = isEmpty ? undefined : await readBody(c, MAX_BODY_BYTES, INVALID_DATA);
    const body = sent?.byteLength ? sent : Buffer.from('{"data":"empty"}');
    const headers = new Headers(c.req.raw.headers);
    if (body !== sent) headers.set("Content-Type", JSON_TYPE);
    const url = new URL(`/sandboxes/${name}/data`, c.req.url);
    const filled = await fetchSandbox(c, name, new Request(url, { method: "PUT", headers, body }));
    // The headers of a fetched response are immutable. Those of a copy are not.
    if (!filled.ok) return new Response(filled.body, filled);
    const location = resolveUrl(c, `/sandboxes/${name}`).href;
    return c.json(sandboxLinks(name, location), 201, { Location: location });
  })
  .use("/:sandbox/*", requireValidName)
  .get("/:sandbox", sendPage("/sandboxes/page/sandbox"));
