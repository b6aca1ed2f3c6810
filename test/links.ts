import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../src/index.ts";
import type { Overrides } from "./bindings.ts";

/** The headers of a request that decide whether its client can follow a link. */
const KEPT = ["accept", "api_key", "authorization", "cookie", "x-api-key"];

/** Returns the URLs in the headers of a response. */
const linksOf = ({ headers }: Response): readonly string[] =>
  [headers.get("location"), headers.get("content-location"), /^<(.+)>;/.exec(headers.get("link") ?? "")?.[1]].filter(
    (link) => typeof link === "string",
  );

/** Sends a GET as the client of a request, with the same settings but the real bindings. */
async function get(url: URL, { headers }: Request, overrides: Overrides): Promise<Response> {
  if (url.pathname.startsWith("/docs/")) return env.ASSETS.fetch(url);
  const settings = Object.entries(overrides).filter(([, value]) => typeof value !== "object");
  const kept = KEPT.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""] as const] : []));
  const context = createExecutionContext();
  const bindings = { ...env, ...Object.fromEntries(settings) } as Env;
  const response = await worker.fetch(new Request(url, { headers: Object.fromEntries(kept) }), bindings, context);
  await waitOnExecutionContext(context);
  return response;
}

/**
 * Follows `Location`, `Content-Location`, and `Link`. In a sandbox, the requests would count for its rules and its request log,
 * so there each link only has to stay in the sandbox.
 * @throws Error if a link leads nowhere, or `Content-Location` to another body
 */
export async function followLinks(request: Request, response: Response, overrides: Overrides): Promise<void> {
  const publicUrl = overrides.PUBLIC_URL ?? "";
  const [mount = ""] = /^\/sandboxes\/[^/]+(?=\/(?:v2|api)\/)/.exec(new URL(request.url).pathname) ?? [];
  for (const link of linksOf(response)) {
    // The proxy in front of a service with PUBLIC_URL strips its path.
    const seen = new URL(link, publicUrl || request.url);
    const url = new URL(seen.href.replace(publicUrl || seen.origin, ""), request.url);
    const received = `${request.method} ${request.url} returned a link to ${link}`;
    if (mount !== "") {
      if (!url.pathname.startsWith(`${mount}/`)) throw new Error(`${received}, which is not in the sandbox`);
      continue;
    }
    const found = await get(url, request, overrides);
    const text = await found.text();
    if (!found.ok) throw new Error(`${received}, where GET returns ${found.status} ${text}`);
    if (link === response.headers.get("content-location") && text !== (await response.clone().text())) {
      throw new Error(`${received}, where GET returns another resource: ${text}`);
    }
  }
}
