import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect } from "vitest";
import type { Bindings } from "../src/http/env.ts";
import worker from "../src/index.ts";
import { checkAgainstDocument } from "./documented.ts";

/** Settings and bindings that differ from those of `[env.local]` in wrangler.toml. */
export type Overrides = { readonly [Name in keyof Bindings]?: Bindings[Name] | undefined };

export interface Init {
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: HeadersInit;
  readonly env?: Overrides;
  /** False for answers that a rule of a sandbox made up. */
  readonly documented?: boolean;
}

/** The same with the base path of the interface. */
export interface InitAt extends Init {
  readonly base?: string;
}

/**
 * Sends a request to the Worker, and compares the answer with the document of its interface.
 * @param path below the origin, or an absolute URL
 */
export async function send(method: string, path: string, init: Init = {}): Promise<Response> {
  const { json, body = json === undefined ? null : JSON.stringify(json) } = init;
  const headers = new Headers(init.headers);
  if (json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const url = new URL(path, "http://petstore.test");
  const request = new Request(url, { method, headers, body, redirect: "manual" });
  const context = createExecutionContext();
  const response = init.env
    ? await worker.fetch(request, { ...env, ...init.env }, context)
    : await exports.default.fetch(request);
  // What a Worker with these settings does after its answer is done, too.
  await waitOnExecutionContext(context);
  if (init.documented !== false) await checkAgainstDocument(method, url.pathname, response.clone());
  return response;
}

/** A multipart form. */
export function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** A Worker with protected access and an API key. */
export const protectedEnv = { ACCESS: "protected", API_KEY: "an-api-key-of-the-tests" } as const;

let names = 0;

/** A name that no other test has. */
export const uniqueName = (prefix = "name"): string => `${prefix}-${++names}`;

/** The path of a sandbox that does not exist yet: its first request makes it. */
export const sandbox = (): string => `/sandboxes/${crypto.randomUUID()}`;

async function created<Body>(path: string, json: object, { base = "/v2", ...init }: InitAt) {
  const response = await send("POST", `${base}${path}`, { ...init, json });
  const body = await response.json<Body>();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body;
}

/** A pet as the service shows it. */
export interface ShownPet {
  readonly id: number;
  readonly name: string;
  readonly photoUrls: string | string[];
  readonly status?: string;
  readonly category?: object;
  readonly tags?: unknown[];
}

/** Creates a pet. @returns what the service answered */
export const createPet = async (members: object = {}, at: InitAt = {}): Promise<ShownPet> =>
  created("/pet", { name: "Rex", photoUrls: ["https://example.com/rex.png"], ...members }, at);

/** Places an order. @returns what the service answered */
export const placeOrder = async (members: object = {}, at: InitAt = {}): Promise<{ readonly id: number }> =>
  created("/store/order", members, at);

/** A user as it was sent, with its id. */
export interface SentUser {
  readonly id: number;
  readonly username: string;
  readonly password: string;
}

/** Creates a user with a name of its own. @returns the body that was sent, with the id */
export async function createUser(members: object = {}, at: InitAt = {}): Promise<SentUser> {
  const user = { username: uniqueName("user"), password: "secret", ...members };
  // `/v2` answers with the id as the message, `/api/v3` with the user.
  const answer = await created<{ message?: string; id?: number }>("/user", user, at);
  return { ...user, id: answer.id ?? Number(answer.message) };
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Attempts a login. @returns the answer */
export const attemptLogin = async ({ username, password }: Credentials, { base = "/v2", ...init }: InitAt = {}) =>
  send("GET", `${base}/user/login?${new URLSearchParams({ username, password }).toString()}`, init);

/** Logs in. @returns the token of the session */
export async function logIn(credentials: Credentials, at: InitAt = {}): Promise<string> {
  const response = await attemptLogin(credentials, at);
  expect(response.status).toBe(200);
  const [, token = ""] = /^session=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  return token;
}
