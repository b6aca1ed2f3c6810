import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { resolveUrl } from "./address.ts";
import type { AppEnv } from "./env.ts";
import type { Bindings } from "./settings.ts";

/** Whether a client accepts HTML, as browsers do. Hono's `accepts` would add a kilobyte to the Worker. */
export const wantsPage = (c: Context): boolean => /\btext\/html\b/.test(c.req.header("Accept") ?? "");

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Escapes text for a string in JSON, or in double quotes in YAML. */
const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Fetches a static asset. @param asset its path */
export async function fetchAsset({ ASSETS }: Bindings, asset: string): Promise<Response> {
  const found = await ASSETS.fetch(new URL(asset, "http://assets"));
  if (!found.ok) throw new Error(`the asset ${asset} is ${found.status}: npm run build creates it`);
  return found;
}

/**
 * Sends a page or a document from the static assets, and fills in its placeholders from the request: `{origin}`, `{host}`,
 * `{scheme}`, `{path}` (where the APIs are mounted), and `{root}` (the path of the service).
 * @param asset the path of the asset
 */
export async function sendAsset(
  c: Context<AppEnv>,
  asset: string,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  const found = await fetchAsset(c.env, asset);
  const { host, origin, pathname, protocol } = resolveUrl(c, "");
  const values: Readonly<Record<string, string>> = {
    origin,
    host,
    scheme: protocol.slice(0, -1),
    path: pathname.replace(/\/$/, ""),
    root: c.get("settings").publicPath,
  };
  const escape = found.headers.get("Content-Type")?.startsWith("text/html") ? escapeHtml : escapeJson;
  const text = (await found.text()).replaceAll(/\{(origin|host|scheme|path|root)\}/g, (_, name: string) =>
    escape(values[name] ?? ""),
  );
  for (const name of ["Content-Type", "Content-Security-Policy"]) {
    const value = found.headers.get(name);
    if (value !== null) c.header(name, value);
  }
  return c.body(text, status);
}
