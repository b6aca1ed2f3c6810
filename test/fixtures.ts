import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import worker from "../src/index.ts";
import type { Pet } from "../src/pet/pet.ts";
import type { Order } from "../src/store/order.ts";
import type { User } from "../src/user/user.ts";
import { findSession, sessionsInKv } from "../src/user/sessions.ts";
import { createWorker } from "../src/worker.ts";
import { clientOf, send } from "./client.ts";
import type { Answer, Send, Sent } from "./client.ts";
import { database, isSandbox, sessions, storeName } from "./engine.ts";
import { ObjectsThrough, objectsWith } from "./bindings.ts";

/** What a test compares of an answer: its status and its JSON. */
export interface Outcome {
  readonly status: number;
  readonly json: unknown;
}

export const outcome = ({ status, json }: Answer): Outcome => ({ status, json });

export const success = (json: unknown): Outcome => ({ status: 200, json });

/** Success where the specification shows no body. */
export const done = (message: string): Outcome => success({ code: 200, type: "unknown", message });

/** An error, whose `errors` name exactly these paths; without paths there are no `errors`. */
export function refusal(status: number, message: string, ...paths: string[]): Outcome {
  const errors = paths.map((path) => ({ path, message: expect.stringMatching(/\S/) as string }));
  return {
    status,
    json: { code: status, type: "error", message, ...(errors.length > 0 && { errors }) },
  };
}

/** The answer if a store or a setting fails. */
export const UNAVAILABLE = refusal(503, "Service unavailable");

/** Fails unless the answer is 503 with `Retry-After`. */
export function expectUnavailable(answer: Answer): void {
  expect(outcome(answer)).toEqual(UNAVAILABLE);
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
}

export function etagOf(answer: Answer): string {
  const etag = answer.headers.get("etag");
  if (etag === null) throw new Error("the answer has no ETag");
  return etag;
}

/** Bindings that replace the configured ones; `undefined` removes one. */
export type Bindings = { readonly [Name in keyof Env]?: Env[Name] | undefined };

/** The clock of a Worker, and where its requests go. */
export interface Surroundings {
  readonly now?: () => number;
  readonly https?: boolean;
  /** The base path, where it is not that of the store of the tests. */
  readonly base?: string;
}

/** A client of a Worker that differs from the configured one, and of sandboxes that differ in the same way. */
export function clientWith(
  different: Bindings = {},
  { now, https, base }: Surroundings = {},
): Send {
  const service = createWorker(now);
  // Sandboxes are open, but for the one that a Worker serves in place of the shared store.
  const local = isSandbox && different.ACCESS === "protected" ? { LOCAL_STORE: storeName } : {};
  const bindings = { ...env, ...local, ...different } as Env;
  const { STORES } = bindings;
  if (STORES instanceof ObjectsThrough) bindings.STORES = STORES.to(objectsWith(bindings, now));
  else if (STORES === env.STORES) bindings.STORES = objectsWith(bindings, now);
  return clientOf(
    (request) =>
      service.fetch(
        https ? new Request(request.url.replace("http:", "https:"), request) : request,
        bindings,
      ),
    bindings.ACCESS,
    base,
  );
}

export const API_KEY = "the key of the tests";

/** Bindings of a Worker that demands credentials. */
export const PROTECTED = { ACCESS: "protected", API_KEY } as Bindings;

/** The hourly run. */
export async function runScheduled(
  bindings: Partial<Env> = {},
  scheduledTime = Date.now(),
): Promise<void> {
  const controller = createScheduledController({ scheduledTime, cron: "17 * * * *" });
  await worker.scheduled(controller, { ...env, ...bindings });
}

/**
 * Captures the faults that the service logs, until `vi.restoreAllMocks()`.
 * @returns reads what was captured
 */
export function captureFaults(): () => Record<string, unknown>[] {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  return () => log.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
}

/** How many rows there are. @param rows a table, or a table and a condition for these values */
export async function countOf(rows: string, ...values: readonly unknown[]): Promise<number> {
  const statement = database.prepare(`SELECT count(*) AS count FROM ${rows}`).bind(...values);
  return (await statement.first<number>("count")) ?? 0;
}

let last = 0;

/** A name that is unique in the test file. */
export const uniqueName = (stem: string): string => `${stem}-${++last}`;

/** An id that is unique in the test file, far beyond the generated ones. */
export const uniqueId = (): number => 1_000_000_000 + 1000 * ++last;

/** A resource that a test created. */
export interface Made<Resource> {
  readonly id: number;
  readonly path: string;
  readonly etag: string;
  /** The body of the answer to its creation. */
  readonly shown: Resource;
}

export async function createPet(members: object = {}): Promise<Made<Pet>> {
  const json = { name: "Rex", photoUrls: "rex.png", ...members };
  const answer = await send("POST", "/pet", { json });
  expect(answer.status).toBe(200);
  const shown = answer.json as Pet;
  return { id: shown.id, path: `/pet/${shown.id}`, etag: etagOf(answer), shown };
}

export async function placeOrder(members: object = {}): Promise<Made<Order>> {
  const answer = await send("POST", "/store/order", { json: members });
  expect(answer.status).toBe(200);
  const shown = answer.json as Order;
  return { id: shown.id, path: `/store/order/${shown.id}`, etag: etagOf(answer), shown };
}

/** Deletes the orders 1 to 10, the only ones that can be looked up. */
export async function freeOrderIds(): Promise<void> {
  await database.exec("DELETE FROM orders WHERE id <= 10");
}

/** A user with a name of its own; `shown` is what its look-up answers. */
export async function createUser(members: object = {}): Promise<Made<User>> {
  const json: { username: string } = { username: uniqueName("user"), ...members };
  const created = await send("POST", "/user", { json });
  expect(created.status).toBe(200);
  const path = userPath(json.username);
  const answer = await send("GET", path);
  const shown = answer.json as User;
  return { id: shown.id, path, etag: etagOf(answer), shown };
}

export const userPath = (username: string): string => `/user/${encodeURIComponent(username)}`;

export async function logIn(
  username: string | undefined,
  password: string | undefined,
  client: Send = send,
): Promise<Answer> {
  const query = new URLSearchParams();
  if (username !== undefined) query.set("username", username);
  if (password !== undefined) query.set("password", password);
  return client("GET", `/user/login?${query.toString()}`);
}

/** The token of a login that succeeded. */
export function tokenOf(login: Answer): string {
  const { message } = login.json as { message: string };
  const [, token] = /^logged in user session:(.+)$/.exec(message) ?? [];
  if (token === undefined) throw new Error(`no token in ${login.text}`);
  return token;
}

/** The session of a token at a time, past the service. */
export const sessionOf = async (token: string, now: number) =>
  findSession(
    sessionsInKv(sessions, () => undefined),
    token,
    now,
  );

/** The headers that present a session. */
export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** A new user who is logged in. */
export async function createSession() {
  const user = await createUser({ password: "secret" });
  const username = user.shown.username ?? "";
  const token = tokenOf(await logIn(username, "secret"));
  return { ...user, username, token, headers: bearer(token) };
}

/** The key of a session in KV: the SHA-256 of its token. */
export async function sessionKeyOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The same request with an `Idempotency-Key`. */
export const withKey = (key: string, { headers, ...sent }: Sent): Sent => ({
  ...sent,
  headers: { ...headers, "Idempotency-Key": key },
});
