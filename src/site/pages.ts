import type { Context } from "hono";
import type { App } from "../http/context.ts";
import { basePathOf } from "../http/base-path.ts";
import { ApiError } from "../http/errors.ts";
import { respond } from "../http/respond.ts";
import { NAME_RULE } from "../sandbox/name.ts";
import type { SandboxPath } from "../sandbox/name.ts";

/** The page to try the interface on: a static asset. */
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
  if (sandbox?.isInterface || c.get("route") || (basePath && below !== basePath)) return undefined;
  const isMisnamed = !sandbox && below.startsWith("/stores/");
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

/** Whether the client accepts HTML, as browsers do. */
function acceptsHtml(c: Context<App>): boolean {
  const accepted = c.req.header("Accept") ?? "";
  return /(?:^|,)\s*text\/html\b(?!\s*;[^,]*\bq=0(?:\.0*)?\s*(?:[,;]|$))/i.test(accepted);
}
