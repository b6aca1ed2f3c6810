import type { Context, Next } from "hono";
import type { App } from "../context.ts";
import { respond } from "../http/respond.ts";
import { acceptsHtml } from "../http/signpost.ts";
import { JsonText } from "../json-text.ts";
import { storeIn } from "./name.ts";

// The static assets of a store of one's own, served at its address: its page and the documents. They do not make the
// store or call it.

/** Answers a browser with the page of a store. The next handler answers other clients. */
export async function storePage(c: Context<App>, next: Next): Promise<Response | void> {
  if (!acceptsHtml(c)) return next();
  const { status, body, headers } = await asset(c, "");
  return respond(c, status, body, {
    "Content-Type": headers.get("Content-Type") ?? "",
    "Content-Security-Policy": headers.get("Content-Security-Policy") ?? "",
    Vary: "Accept",
  });
}

/** Answers with a document of the interface, for this store. The name of the store replaces `{store}`. */
export async function storeDocument(c: Context<App>, next: Next): Promise<Response | void> {
  const store = storeIn(c.req.url);
  if (!store) return next();
  const text = await (await asset(c, c.req.param("document") ?? "")).text();
  return respond(c, 200, new JsonText(text.replaceAll("{store}", store.name)));
}

const asset = async ({ env, req }: Context<App>, file: string): Promise<Response> =>
  env.ASSETS.fetch(new URL(`/stores/${file}`, req.url));
