import type { Context } from "hono";
import type { App } from "../http/context.ts";
import { basePathOf } from "../http/base-path.ts";
import { ApiError } from "../http/errors.ts";
import { respond } from "../http/respond.ts";
import { NAME_RULE, NO_SANDBOXES } from "../sandbox/name.ts";
import type { SandboxPath } from "../sandbox/name.ts";

// Static assets: the page to try the interface on, and the page for a path that has none.
const PAGE = "/docs/";
const MISSING = "/docs/missing";

const VARY = { Vary: "Accept" };

/**
 * Serves browsers: the page of a sandbox at the sandbox's path, and elsewhere a way to the documentation. This never
 * creates a sandbox.
 * @param isOff whether the path is that of a sandbox that the settings switch off
 * @returns `undefined` if the request is not for a page
 * @throws ApiError 404 for any other client at an unknown path, with a link to the documentation (RFC 8631)
 */
export async function pageFor(
  c: Context<App>,
  assets: Fetcher,
  sandbox: SandboxPath | undefined,
  isOff: boolean,
): Promise<Response | undefined> {
  const { method, path } = c.req;
  const isRead = method === "GET" || method === "HEAD";
  const below = path.replace(/\/$/, "");
  const show = async (asset: string, status = 200) => {
    const { body, headers } = await assets.fetch(new URL(asset, c.req.url));
    return respond(c, status, body, {
      "Content-Type": headers.get("Content-Type") ?? "",
      "Content-Security-Policy": headers.get("Content-Security-Policy") ?? "",
      ...VARY,
    });
  };
  if (isOff) {
    if (!sandbox?.isInterface && acceptsHtml(c)) return show(MISSING, 404);
    throw ApiError.general("unknownPath", { errors: [{ path: "store", message: NO_SANDBOXES }] });
  }
  if (isRead && below === (sandbox?.path ?? "/stores") && acceptsHtml(c)) return show("/stores/");
  const basePath = basePathOf(below);
  if (isRead && basePath && below === basePath && acceptsHtml(c)) {
    return respond(c, 302, undefined, { ...VARY, Location: PAGE });
  }
  if (sandbox?.isInterface || c.get("route") || (basePath && below !== basePath)) return undefined;
  if (acceptsHtml(c)) return show(MISSING, 404);
  const isMisnamed = !sandbox && below.startsWith("/stores/");
  throw ApiError.general("unknownPath", {
    ...(isMisnamed && { errors: [{ path: "store", message: NAME_RULE }] }),
    headers: { ...VARY, ...(!isMisnamed && { Link: `<${PAGE}>; rel="help"` }) },
  });
}

/** Whether the client accepts HTML, as browsers do. */
function acceptsHtml(c: Context<App>): boolean {
  const accepted = c.req.header("Accept") ?? "";
  return /(?:^|,)\s*text\/html\b(?!\s*;[^,]*\bq=0(?:\.0*)?\s*(?:[,;]|$))/i.test(accepted);
}
