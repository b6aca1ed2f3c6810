import { SANDBOX_NAME_RULE } from "../http/base-path.ts";
import { ApiError } from "../http/errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { respond } from "../http/respond.ts";

// Static assets: the page to try the interface on, and the pages for a path that has none.
const PAGE = "/docs/";
const MISSING = "/docs/missing";
const NO_SANDBOXES_PAGE = "/docs/no-sandboxes";

const VARY = { Vary: "Accept" };

/** The message of the 404 at the path of a sandbox, if sandboxes are switched off. */
const NO_SANDBOXES = "this service has no sandboxes";

/**
 * Serves browsers: the page of a sandbox at the sandbox's path, and elsewhere a way to the documentation. This never
 * creates a sandbox.
 * @param isOff whether the path is that of a sandbox that the settings switch off
 * @returns `undefined` if the request is not for a page
 * @throws ApiError 404 for any other client at an unknown path, with a link to the documentation (RFC 8631)
 */
export async function pageFor(
  exchange: Exchange,
  assets: Fetcher,
  isOff: boolean,
): Promise<Response | undefined> {
  const { basePath, path, request, route, sandbox } = exchange;
  const isRead = request.method === "GET" || request.method === "HEAD";
  const isHtml = acceptsHtml(request.headers);
  const show = async (asset: string, status = 200) => {
    const { body, headers } = await assets.fetch(new URL(asset, request.url));
    return respond(exchange, status, body, {
      "Content-Type": headers.get("Content-Type") ?? "",
      "Content-Security-Policy": headers.get("Content-Security-Policy") ?? "",
      ...VARY,
    });
  };
  if (isOff) {
    if (isHtml && !(sandbox && basePath)) return show(NO_SANDBOXES_PAGE, 404);
    throw ApiError.general("unknownPath", { errors: [{ path: "store", message: NO_SANDBOXES }] });
  }
  if (isRead && isHtml && path === (sandbox ? "" : "/stores")) return show("/stores/");
  if (isRead && isHtml && basePath && path === basePath) {
    return respond(exchange, 302, undefined, { ...VARY, Location: PAGE });
  }
  if (route || (basePath && (sandbox ?? path !== basePath))) return undefined;
  if (isHtml) return show(MISSING, 404);
  const isMisnamed = !sandbox && path.startsWith("/stores/");
  throw ApiError.general("unknownPath", {
    ...(isMisnamed && { errors: [{ path: "store", message: SANDBOX_NAME_RULE }] }),
    headers: { ...VARY, ...(!isMisnamed && { Link: `<${PAGE}>; rel="help"` }) },
  });
}

/** Whether the client accepts HTML, as browsers do. */
function acceptsHtml(headers: Headers): boolean {
  const accepted = headers.get("Accept") ?? "";
  return /(?:^|,)\s*text\/html\b(?!\s*;[^,]*\bq=0(?:\.0*)?\s*(?:[,;]|$))/i.test(accepted);
}
