import type { Context } from "hono";
import type { App } from "../http/context.ts";
import { basePathOf } from "../http/base-path.ts";
import { ApiError } from "../http/errors.ts";
import { respond } from "../http/respond.ts";
import { NAME_RULE } from "../sandbox/name.ts";
import type { SandboxPath } from "../sandbox/name.ts";

// What the Worker shows beside the interface: the page of a sandbox, which is a static asset served at its address, and a
// sign to the documentation everywhere else.

/** The page that shows the interface with forms to try it: a static asset. */
const PAGE = "/docs/";

/** A page for a path that has none. @param reason why, as HTML */
const missing = (reason: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Not found · Pet Store Service</title>
    <link rel="icon" href="${PAGE}icon.svg" />
    <link rel="stylesheet" href="${PAGE}page.css" />
  </head>
  <body>
    <header class="top">
      <a class="brand" href="${PAGE}">
        <img src="${PAGE}icon.svg" alt="" width="26" height="26" />Pet Store Service
      </a>
    </header>
    <main class="wide missing">
      <h1>Not found</h1>
      <p>${reason}</p>
      <p>
        <a class="button main" href="${PAGE}">Documentation</a>
        <a class="button" href="/stores/">New sandbox</a>
      </p>
    </main>
  </body>
</html>
`;

/** It has no scripts. */
const MISSING_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const VARY = { Vary: "Accept" };

/**
 * The answer to a request that is for a page; `undefined` for any other. A page makes no sandbox.
 * @throws ApiError 404 for a path that nothing has, with a link to the documentation (RFC 8631)
 */
export async function pageFor(
  c: Context<App>,
  assets: Fetcher,
  sandbox: SandboxPath | undefined,
): Promise<Response | undefined> {
  const { method, path } = c.req;
  const isRead = method === "GET" || method === "HEAD";
  const hasRoute = c.get("route") !== undefined;
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
  if (sandbox || hasRoute || (basePath && below !== basePath)) return undefined;
  const isMisnamed = below.startsWith("/stores/");
  if (!acceptsHtml(c)) {
    throw ApiError.general("unknownPath", {
      ...(isMisnamed && { errors: [{ path: "store", message: NAME_RULE }] }),
      headers: { ...VARY, ...(!isMisnamed && { Link: `<${PAGE}>; rel="help"` }) },
    });
  }
  const reason = isMisnamed
    ? `The name of a sandbox ${NAME_RULE}`
    : "There is no page at this address.";
  return respond(c, 404, new Response(missing(reason)).body, {
    ...VARY,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": MISSING_POLICY,
  });
}

/** Whether the client is a browser that wants a page. */
function acceptsHtml(c: Context<App>): boolean {
  const accepted = c.req.header("Accept") ?? "";
  return /(?:^|,)\s*text\/html\b(?!\s*;[^,]*\bq=0(?:\.0*)?\s*(?:[,;]|$))/i.test(accepted);
}
