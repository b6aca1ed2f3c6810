import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { getJson, sandbox, send, type Init } from "../client.ts";

/** The object of a sandbox. */
export const objectOf = (path: string) => env.SANDBOXES.getByName(path.slice("/sandboxes/".length));

/**
 * Gives a sandbox's Durable Object other settings, before its first request. It does not see those of one request to the Worker.
 */
export const configure = async (path: string, settings: object) =>
  runInDurableObject(objectOf(path), (object) => {
    Object.assign(object, { env: { ...env, ...settings } });
  });

/** Gives a sandbox these rules for faults. */
export async function demand(path: string, ...json: object[]): Promise<void> {
  expect((await send("PUT", `${path}/faults`, { json })).status).toBe(204);
}

/** Makes a sandbox with the classic data and these rules. @returns its path */
export async function classicSandbox(...rules: object[]): Promise<string> {
  const path = sandbox();
  expect((await send("PUT", `${path}/data`, { json: { data: "classic" } })).status).toBe(204);
  await demand(path, ...rules);
  return path;
}

/** Protects the access of a sandbox. @returns its path */
export async function protect(path: string, apiKey: string): Promise<string> {
  expect((await send("PUT", `${path}/access`, { json: { access: "protected", apiKey } })).status).toBe(204);
  return path;
}

/** Returns whether there is a sandbox of this name. */
export const sandboxExists = async (path: string) => (await send("GET", path)).status === 200;

/** Returns the rules of a sandbox. */
export const readRules = async (path: string) => getJson<{ used: number }[]>(`${path}/faults`);

/** Returns how many responses each rule of a sandbox changed. */
export const readUses = async (path: string) => (await readRules(path)).map(({ used }) => used);

/** Sends a request to a sandbox whose rules may replace the response, so that the document does not describe it. */
export const sendUnchecked = async (path: string, method = "GET", init: Init = {}) =>
  send(method, path, { ...init, documented: false });

/** How many files R2 holds, of all sandboxes. */
export const countFiles = async () => (await env.IMAGES.list()).objects.length;
