import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";
import { pathOf, urlOf } from "../address.ts";
import { sendAsset, wantsPage } from "../assets.ts";
import type { AppEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { hasApiKey, unauthenticated } from "../middleware/auth.ts";
import { limitBody } from "../middleware/validate.ts";
import { ATTEMPTS, retry } from "../retry.ts";
import { MAX_DATA_BYTES } from "./data.ts";
import { noSandbox } from "./lifetime.ts";
import { placeOf } from "./routes.ts";

/** A URL that names a sandbox, without an escaped character in its name. */
const NAMED = /^https?:\/\/[^/]+\/sandboxes\/[A-Za-z0-9_-]{16,64}(?:[/?]|$)/;

/** Lets the object of a sandbox answer a request. @throws Unavailable */
async function forward(c: Context<AppEnv>, name: string, request: Request): Promise<Response> {
  // After a fault a stub may be broken, so each attempt gets a new one.
  const call = async () => c.env.SANDBOXES.getByName(name).fetch(request);
  const isRead = request.method === "GET" || request.method === "HEAD";
  const answer = await retry(call, isRead ? ATTEMPTS : 1);
  // The headers of an answer that was fetched cannot be changed.
  return new Response(answer.body, answer);
}

/** Sends a page to browsers. Its links are relative, so its path ends with a slash. */
const page = (asset: string) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (!isRead || !wantsPage(c)) return next();
    const { pathname } = new URL(c.req.url);
    if (!pathname.endsWith("/")) return c.redirect(`${pathOf(c, pathname)}/`);
    c.header("Vary", "Accept");
    return sendAsset(c, asset);
  });

/** Refuses a path that does not name a sandbox. A browser gets a page that says what a name looks like. */
const named = createMiddleware<AppEnv>(async (c, next) => {
  if (NAMED.test(c.req.url)) return next();
  if (!wantsPage(c)) throw noSandbox("must have 16 to 64 of the characters A-Z, a-z, 0-9, _ and -");
  c.header("Vary", "Accept");
  return sendAsset(c, "/sandboxes/page/misnamed", 404);
});

/** The paths below `/sandboxes` in the Worker. */
export const sandboxes = new Hono<AppEnv>()
  .use(async (c, next) => {
    if (c.get("settings").sandboxCreation === "nobody") throw new ApiError([404, "Not found"]);
    await next();
  })
  .get("/", page("/sandboxes/page/"))
  .post("/", limitBody(MAX_DATA_BYTES), async (c) => {
    const { sandboxCreation } = c.get("settings");
    if (sandboxCreation === "key" && !(await hasApiKey(c))) throw unauthenticated();
    const name = crypto.randomUUID();
    const sent = await c.req.arrayBuffer();
    const isEmpty = sent.byteLength === 0;
    const body = isEmpty ? Buffer.from('{"data":"empty"}') : sent;
    const headers = new Headers(c.req.raw.headers);
    if (isEmpty) headers.set("Content-Type", "application/json");
    const url = new URL(`/sandboxes/${name}/data`, c.req.url);
    const filled = await forward(c, name, new Request(url, { method: "PUT", headers, body }));
    if (!filled.ok) return filled;
    const location = urlOf(c, `/sandboxes/${name}`).href;
    return c.json(placeOf(name, location), 201, { Location: location });
  })
  .use("/:sandbox/*", named)
  // Not `get`: the object knows which methods there are.
  .use("/:sandbox", page("/sandboxes/page/sandbox"))
  .all("/:sandbox/*", async (c) => forward(c, c.req.param("sandbox"), c.req.raw));
