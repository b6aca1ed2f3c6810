import type { Context } from "hono";
import type { App } from "../http/context.ts";
import { basePathOf } from "../http/base-path.ts";
import { ApiError } from "../http/errors.ts";
import { respond } from "../http/respond.ts";
import { NAME_RULE } from "../sandbox/name.ts";
import type { SandboxPath } from "../sandbox/name.ts";

/** The page to try the interface on: a static asset. */
const PAGE = "/docs/";

const SIGNPOST = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  <title>Pet Store Service</title>
  <h1>Pet Store Service</h1>
  <p>There is no page at this address. <a href="${PAGE}">Try the interface on its page.</a></p>
</html>
`;

const VARY = { Vary: "Accept" };

/**
 * Serves browsers: the page of a sandbox at the sandbox's path, and elsewhere a way to the documentation. This never
 * creates a sandbox.
 * @returns `undefined` if the request is not for a page
 * @throws ApiError 404 for any other client at an unknown path, with a link to the documentation (RFC 8631)
 */
export async function pageFor(
  c: Context<App>,
  assets: Fetcher,
  sandbox: SandboxPath | undefined,
): Promise<Response | undefined> {
  const { method, path } = c.req;
  const isRead = method === "GET" || method === "HEAD";
  const below = path.replace(/\/$/, "");
  if (isRead && below === (sandbox?.path ?? "/stores") && acceptsHtml(c)) {
    const { status, body, headers } = await assets.fetch(new URL("/stores/", c.req.url));
    return respond(c, status, body, {
      "Content-Type": headers.get("Content-Type") ?? "",
      "Content-Security-Policy": headers.get("Content-Security-Policy") ?? "",
      ...VARY,
    });
  }
  const basePath = basePathOf(below);
  if (isRead && basePath && below === basePath && acceptsHtml(c)) {
    return respond(c, 302, undefined, { ...VARY, Location: PAGE });
  }
  if (sandbox || c.get("route") || (basePath && below !== basePath)) return undefined;
  if (below.startsWith("/stores/")) {
    throw ApiError.general("unknownPath", { errors: [{ path: "store", message: NAME_RULE }] });
  }
  if (!acceptsHtml(c)) {
    throw ApiError.general("unknownPath", { headers: { ...VARY, Link: `<${PAGE}>; rel="help"` } });
  }
  const headers = { ...VARY, "Content-Type": "text/html; charset=utf-8" };
  return respond(c, 404, new Response(SIGNPOST).body, headers);
}

/** Whether the client accepts HTML, as browsers do. */
function acceptsHtml(c: Context<App>): boolean {
  const accepted = c.req.header("Accept") ?? "";
  return /(?:^|,)\s*text\/html\b(?!\s*;[^,]*\bq=0(?:\.0*)?\s*(?:[,;]|$))/i.test(accepted);
}
