import { Hono } from "hono";
import type { Context } from "hono";
import { urlOf } from "./address.ts";
import type { AppEnv } from "./env.ts";

/**
 * Sends a document of an interface. It is a static asset with placeholders for what only the request tells.
 * @param asset its path among the assets
 */
async function sendDocument(c: Context<AppEnv>, asset: string): Promise<Response> {
  const found = await c.env.ASSETS.fetch(new URL(asset, "http://assets"));
  if (!found.ok) throw new Error(`the asset ${asset} is ${found.status}: npm run build makes it`);
  const { host, origin, pathname, protocol } = urlOf(c, "");
  const values: Readonly<Record<string, string>> = {
    origin,
    host,
    scheme: protocol.slice(0, -1),
    path: pathname.replace(/\/$/, ""),
  };
  const text = (await found.text()).replaceAll(
    /\{(origin|host|scheme|path)\}/g,
    (_, name: string) => values[name] ?? "",
  );
  const type = asset.endsWith(".yaml") ? "application/yaml" : "application/json";
  return c.body(text, 200, { "Content-Type": type });
}

/** The documents of `/v2`: OpenAPI 3.1 and Swagger 2.0. */
export const documentsOfV2 = new Hono<AppEnv>()
  .get("/openapi.json", (c) => sendDocument(c, "/documents/v2/openapi.json"))
  .get("/openapi.yaml", (c) => sendDocument(c, "/documents/v2/openapi.yaml"))
  .get("/swagger.json", (c) => sendDocument(c, "/documents/v2/swagger.json"));

/** The documents of `/api/v3`: OpenAPI 3.0. */
export const documentsOfV3 = new Hono<AppEnv>()
  .get("/openapi.json", (c) => sendDocument(c, "/documents/v3/openapi.json"))
  .get("/openapi.yaml", (c) => sendDocument(c, "/documents/v3/openapi.yaml"));
