import type { Context } from "hono";
import type { App } from "../context.ts";
import { ApiError } from "./errors.ts";
import { respond } from "./respond.ts";

/** The page that shows the interface with forms to try it: a static asset. */
const PAGE = "/docs/";

const HTML = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  <title>Pet Store Service</title>
  <h1>Pet Store Service</h1>
  <p>There is no page at this address. <a href="${PAGE}">Try the interface on its page.</a></p>
</html>
`;

/** Whether the client is a browser that wants a page. */
export function acceptsHtml(c: Context<App>): boolean {
  return /\btext\/html\b/i.test(c.req.header("Accept") ?? "");
}

/**
 * The answer outside the interface: 404, with a link to the documentation. A browser gets HTML. A program gets the
 * usual error with a `Link` header (RFC 8631).
 * @throws ApiError 404 if the client does not accept HTML
 */
export function signpost(c: Context<App>): Response {
  const vary = { Vary: "Accept" };
  if (!acceptsHtml(c)) {
    throw ApiError.general(404, { headers: { ...vary, Link: `<${PAGE}>; rel="help"` } });
  }
  const headers = { ...vary, "Content-Type": "text/html; charset=utf-8" };
  return respond(c, 404, new Response(HTML).body, headers);
}
