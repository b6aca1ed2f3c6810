import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "./env.ts";

/** Sends a page from the static assets, with its own policy. @param asset its path, such as `/docs/missing` */
export async function sendPage(
  c: Context<AppEnv>,
  asset: string,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  const page = await c.env.ASSETS.fetch(new URL(asset, "http://assets"));
  if (!page.ok) throw new Error(`the page ${asset} is ${page.status}: npm run build makes it`);
  c.header("Content-Type", page.headers.get("Content-Type") ?? "text/html");
  c.header("Content-Security-Policy", page.headers.get("Content-Security-Policy") ?? "");
  c.header("Vary", "Accept");
  return c.newResponse(page.body, status);
}
