// Requests to stores that go by the entry of the Worker, static assets included.
import { exports } from "cloudflare:workers";

export const ORIGIN = "http://petstore.test";

export const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") =>
  exports.default.fetch(new Request(ORIGIN + path, { method, headers, redirect: "manual" }));

export const askWith = async (method: string, path: string, json: unknown) =>
  exports.default.fetch(ORIGIN + path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(json),
  });

/** @returns the name of a new store */
export async function makeStore(): Promise<string> {
  const { store } = await (await ask("/stores", {}, "POST")).json<{ store: string }>();
  return store;
}
