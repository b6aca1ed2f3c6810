import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect } from "vitest";
import worker from "../src/index.ts";
import type { Overrides } from "./bindings.ts";
import { checkAgainstDocument } from "./documented.ts";
import { followLinks } from "./links.ts";

export interface Init {
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: HeadersInit;
  readonly env?: Overrides;
  /** Whether to check the response against the document. False for fault responses of a sandbox. */
  readonly documented?: boolean;
  /** Whether to follow the links of the response. False if other requests change the resource at the same time. */
  readonly linked?: boolean;
}

/** The same, with the base path of the API. */
export interface InitAt extends Init {
  readonly base?: string;
}

/** Returns the bindings of `[env.local]` with these overrides. An undefined one is absent. */
function withOverrides(overrides: Overrides) {
  const bindings = { ...env, ...overrides };
  for (const [name, value] of Object.entries(overrides))
    if (value === undefined) Reflect.deleteProperty(bindings, name);
  return bindings;
}

/**
 * Sends a request to the Worker, checks the response against the API's document, and follows its links.
 * @param path a path, or an absolute URL
 */
export async function send(method: string, path: string, init: Init = {}): Promise<Response> {
  const { json, body = json === undefined ? null : JSON.stringify(json) } = init;
  const headers = new Headers(init.headers);
  if (json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const url = new URL(path, "http://petstore.test");
  const request = new Request(url, { method, headers, body, redirect: "manual" });
  const context = createExecutionContext();
  const response = init.env
    ? await worker.fetch(request, withOverrides(init.env), context)
    : await exports.default.fetch(request);
  // Includes work that the Worker does after the response.
  await waitOnExecutionContext(context);
  if (init.documented !== false) await checkAgainstDocument(method, url.pathname, response);
  if (init.documented !== false && init.linked !== false) await followLinks(request, response, init.env ?? {});
  return response;
}

/** Sends a GET. @returns the parsed body */
export const getJson = async <Body>(path: string, init: Init = {}): Promise<Body> =>
  (await send("GET", path, init)).json<Body>();

/** Creates a multipart form. */
export function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** Settings for protected access with an API key. */
export const protectedEnv = { ACCESS: "protected", API_KEY: "an-api-key-of-the-tests" } as const;

let names = 0;

/** Returns a name that no other test uses. */
export const uniqueName = (prefix = "name"): string => `${prefix}-${++names}`;

/** Returns the path of a new sandbox. The first request creates it. */
export const sandbox = (): string => `/sandboxes/${crypto.randomUUID()}`;

async function created<Body>(path: string, json: object, { base = "/v2", ...init }: InitAt) {
  const response = await send("POST", `${base}${path}`, { ...init, json });
  const body = await response.json<Body>();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body;
}

/** A pet in a response. */
export interface ShownPet {
  readonly id: number;
  readonly name: string;
  readonly photoUrls: string | string[];
  readonly status?: string;
  readonly category?: object;
  readonly tags?: unknown[];
}

/** Creates a pet. @returns the response body */
export const createPet = async (fields: object = {}, at: InitAt = {}): Promise<ShownPet> =>
  created("/pet", { name: "Rex", photoUrls: ["https://example.com/rex.png"], ...fields }, at);

/** Places an order. @returns the response body */
export const placeOrder = async (fields: object = {}, at: InitAt = {}): Promise<{ readonly id: number }> =>
  created("/store/order", fields, at);

/** A user in a request, with the generated ID. */
export interface SentUser {
  readonly id: number;
  readonly username: string;
  readonly password: string;
}

/** Creates a user with a unique name. @returns the request body with the generated ID */
export async function createUser(fields: object = {}, at: InitAt = {}): Promise<SentUser> {
  const user = { username: uniqueName("user"), password: "secret", ...fields };
  // `/v2` returns the ID as the message, `/api/v3` returns the user.
  const response = await created<{ message?: string; id?: number }>("/user", user, at);
  return { ...user, id: response.id ?? Number(response.message) };
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Attempts a login. @returns the response */
export const attemptLogin = async ({ username, password }: Credentials, { base = "/v2", ...init }: InitAt = {}) =>
  send("GET", `${base}/user/login?${new URLSearchParams({ username, password }).toString()}`, init);

/** Logs in. @returns the session's token */
export async function logIn(credentials: Credentials, at: InitAt = {}): Promise<string> {
  const response = await attemptLogin(credentials, at);
  expect(response.status).toBe(200);
  const [, token = ""] = /^session=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  return token;
}
