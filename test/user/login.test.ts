/// <reference types="vite/client" />
import { afterEach, describe, expect, test, vi } from "vitest";
import wranglerToml from "../../wrangler.toml?raw";
import { send } from "../client.ts";
import type { Answer, Send } from "../client.ts";
import {
  PROTECTED,
  clientWith,
  createSession,
  createUser,
  logIn,
  outcome,
  refusal,
  sessionKeyOf,
  sessionOf,
  tokenOf,
  uniqueName,
} from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { comparable, costOf } from "./secrecy.ts";
import { basePath, countedAs, sessions } from "../engine.ts";

const guarded = clientWith(PROTECTED);

afterEach(() => {
  vi.restoreAllMocks();
});

const expiryOf = (login: Answer): number => Date.parse(login.headers.get("x-expires-after") ?? "");

test("each login answers another token of 256 bits in base64url §6.1.1 §6.2.1 §V11.5", async () => {
  const { shown } = await createUser({ password: "secret" });
  const logins = [await logIn(shown.username, "secret"), await logIn(shown.username, "secret")];
  const tokens = logins.map(tokenOf);
  for (const [index, token] of tokens.entries()) {
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const message = `logged in user session:${token}`;
    expect(logins[index]?.json).toEqual({ code: 200, type: "unknown", message });
  }
  expect(new Set(tokens).size).toBe(2);
});

test.each([
  [false, ""],
  [true, "; Secure"],
])(
  "a login sets the token as a cookie that scripts and other sites cannot use: https %j §6.1.3 §V3.3 §R4",
  async (https, secure) => {
    const { shown } = await createUser({ password: "secret" });
    const login = await logIn(shown.username, "secret", clientWith({}, { https }));
    expect(login.headers.getSetCookie()).toEqual([
      `session=${tokenOf(login)}; HttpOnly; SameSite=Strict; Path=${basePath}; Max-Age=3600${secure}`,
    ]);
  },
);

test.each([
  [undefined, 3600],
  ["120", 120],
])(
  "with SESSION_SECONDS %j a session lasts %i seconds by the clock of the service §6.1.4 §6.2.4 §V7.3",
  async (setting, seconds) => {
    const { shown } = await createUser({ password: "secret" });
    const now = Date.parse("2030-01-01T00:00:00.000Z");
    const client = clientWith(setting === undefined ? {} : { SESSION_SECONDS: setting }, {
      now: () => now,
    });
    const login = await logIn(shown.username, "secret", client);
    const end = now + 1000 * seconds;
    expect(login.headers.get("x-expires-after")).toBe(new Date(end).toISOString());
    expect(login.headers.get("set-cookie")).toContain(`Max-Age=${seconds}`);
    expect(await sessionOf(tokenOf(login), end - 1)).toMatchObject({
      expiresAt: end,
    });
    expect(await sessionOf(tokenOf(login), end)).toBeUndefined();
  },
);

test("KV holds a session under the SHA-256 of its token until it expires, without token or password §6.2.3 §API2 §V7.2", async () => {
  const { id, shown } = await createUser({ password: "a-clear-password" });
  const before = Math.floor(Date.now() / 1000);
  const login = await logIn(shown.username, "a-clear-password");
  const after = Math.ceil(Date.now() / 1000);
  const name = await sessionKeyOf(tokenOf(login));
  const { keys } = await sessions.list({ prefix: name });
  expect(keys.map((key) => key.name)).toEqual([name]);
  expect(keys[0]?.expiration).toBeGreaterThanOrEqual(before + 3600);
  expect(keys[0]?.expiration).toBeLessThanOrEqual(after + 3600);
  expect(await sessions.get(tokenOf(login))).toBeNull();
  const text = (await sessions.get(name)) ?? "";
  expect(JSON.parse(text)).toMatchObject({ userId: id, expiresAt: expiryOf(login) });
  expect(text).not.toContain(tokenOf(login));
  expect(text).not.toContain("a-clear-password");
});

/** What wrangler.toml has in the group of a pattern. */
const figuresOf = (pattern: RegExp) =>
  [...wranglerToml.matchAll(pattern)].map(([, figure]) => figure);

test("X-Rate-Limit shows REQUESTS_PER_MINUTE, which equals the limit of the binding in every environment §6.1.4 §V2.4", async () => {
  const { shown } = await createUser({ password: "secret" });
  const client = clientWith({ REQUESTS_PER_MINUTE: "42" });
  const login = await logIn(shown.username, "secret", client);
  expect(login.headers.get("x-rate-limit")).toBe("42");
  const stated = figuresOf(/^REQUESTS_PER_MINUTE = "(\d+)"/gm);
  expect(stated).toHaveLength(3);
  expect(figuresOf(/^name = "REQUESTS"[^[]*?limit = (\d+), period = 60 \}/gm)).toEqual(stated);
});

test("every wrong login gets the same 400, no cookie and no session §6.1.1 §API2 §V15.3", async () => {
  const { shown } = await createUser({ password: "secret" });
  const { shown: other } = await createUser({ password: "other" });
  const { shown: locked } = await createUser();
  const name = shown.username ?? "";
  const sessionsBefore = (await sessions.list()).keys.length;
  const wrong = {
    "wrong password": `?username=${name}&password=wrong`,
    "another case": `?username=${name}&password=Secret`,
    "a beginning": `?username=${name}&password=secre`,
    "a longer one": `?username=${name}&password=secrets`,
    "a blank more": `?username=${name}&password=secret%20`,
    "another user's password": `?username=${name}&password=${other.password}`,
    "unknown user": `?username=${uniqueName("nobody")}&password=secret`,
    "other case of the name": `?username=${name.toUpperCase()}&password=secret`,
    "user without a password": `?username=${locked.username}&password=secret`,
    "no password for a user without one": `?username=${locked.username}&password=`,
    "missing password": `?username=${name}`,
    "empty password": `?username=${name}&password=`,
    "missing username": "?password=secret",
    "empty username": "?username=&password=secret",
    "both missing": "",
    "both empty": "?username=&password=",
    "username twice": `?username=${name}&username=${name}&password=secret`,
    "password twice": `?username=${name}&password=secret&password=wrong`,
    "name no user may have": "?username=%00&password=secret",
    "no UTF-8": "?username=%ZZ&password=%FF",
    "very long": `?username=${name}&password=${"x".repeat(5000)}`,
  };
  const refused = refusal(400, "Invalid username/password supplied");
  const bodies = new Set<string>();
  for (const [how, query] of Object.entries(wrong)) {
    const answer = await send("GET", `/user/login${query}`);
    expect({ how, ...outcome(answer) }).toEqual({ how, ...refused });
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.headers.get("x-expires-after")).toBeNull();
    bodies.add(answer.text);
  }
  expect(bodies.size).toBe(1);
  expect((await sessions.list()).keys).toHaveLength(sessionsBefore);
});

test("users without a username cannot be logged in to §5.2.2", async () => {
  await send("POST", "/user", { json: { password: "secret" } });
  for (const username of [undefined, "", "null", "undefined"]) {
    expect((await logIn(username, "secret")).status).toBe(400);
  }
});

const attempts = async (
  client: Send,
  username: string,
  addresses: readonly string[],
): Promise<number[]> => {
  const statuses: number[] = [];
  for (const address of addresses) {
    const headers = { "CF-Connecting-IP": address };
    const path = `/user/login?username=${username}&password=wrong`;
    statuses.push((await client("GET", path, { headers })).status);
  }
  return statuses;
};
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `192.0.2.${index}`);

test("attempts to log in are limited for each username from each address, right or wrong §6.7.5 §API2 §V2.4", async () => {
  const client = clientWith({ LOGINS: new CountingLimit(2) });
  const [one = "", other = ""] = addresses(2);
  const { username } = await createSession();
  expect(await attempts(client, username, [one, one, one, other])).toEqual([400, 400, 429, 400]);
  expect(await attempts(client, "bob", [one])).toEqual([400]);
  const headers = { "CF-Connecting-IP": one };
  const right = await client("GET", `/user/login?username=${username}&password=secret`, {
    headers,
  });
  expect([right.status, right.headers.get("retry-after")]).toEqual([429, "60"]);
});

describe("attempts to log in as one user, from whatever addresses,", () => {
  test("have a second limit §6.7.6 §V2.4", async () => {
    const LOGINS_PER_USER = new CountingLimit(3);
    const client = clientWith({ LOGINS: new CountingLimit(2), LOGINS_PER_USER });
    expect(await attempts(client, "ann", addresses(5))).toEqual([400, 400, 400, 429, 429]);
    expect(await attempts(client, "bob", addresses(1))).toEqual([400]);
    expect(new Set(LOGINS_PER_USER.keys)).toEqual(new Set(["ann", "bob"].map(countedAs)));
  });

  test("are not used up by what one address is refused §6.7.6 §V2.4", async () => {
    const LOGINS_PER_USER = new CountingLimit(3);
    const client = clientWith({ LOGINS: new CountingLimit(2), LOGINS_PER_USER });
    const [one = "", other = ""] = addresses(2);
    expect(await attempts(client, "ann", [one, one, one, one, other])).toEqual([
      400, 400, 429, 429, 400,
    ]);
    expect(LOGINS_PER_USER.countOf(countedAs("ann"))).toBe(3);
  });

  test("count sign-ups with the user's name §6.7.6 §V2.4", async () => {
    const { shown } = await createUser({ password: "secret" });
    const { username = "" } = shown;
    const client = clientWith({ LOGINS_PER_USER: new CountingLimit(2) });
    expect(await attempts(client, username, addresses(1))).toEqual([400]);
    const statuses: number[] = [];
    for (const address of addresses(2)) {
      const headers = { "CF-Connecting-IP": address };
      const json = { username, password: "a guess" };
      statuses.push((await client("POST", "/user", { json, headers })).status);
    }
    expect(statuses).toEqual([409, 429]);
  });

  test("beyond the limit leave the user's sessions as they are", async () => {
    const { path, username, headers } = await createSession();
    const client = clientWith({ ACCESS: "protected", LOGINS_PER_USER: new CountingLimit(0) });
    expect(await attempts(client, username, addresses(1))).toEqual([429]);
    expect((await client("GET", path, { headers })).status).toBe(200);
  });

  test("are in production and previews ten times what one address has, and in no namespace of another limit §6.7.6", () => {
    const limits = [
      ...wranglerToml.matchAll(
        /^name = "(\w+)"\nnamespace_id = "(\d+)"\nsimple = \{ limit = (\d+)/gm,
      ),
    ].map(([, name, namespace, limit]) => ({ name, namespace, limit: Number(limit) }));
    const limitsOf = (name: string) =>
      limits.filter((each) => each.name === name).map(({ limit }) => limit);
    expect(limitsOf("LOGINS")).toEqual([10, 10, 1_000_000]);
    expect(limitsOf("LOGINS_PER_USER")).toEqual([100, 100, 1_000_000]);
    expect(new Set(limits.map(({ namespace }) => namespace)).size).toBe(limits.length);
  });
});

test("an unknown user and a wrong password get the same answer after the same work §6.1.2 §API2 §V6.3", async () => {
  const { shown } = await createUser({ password: "secret" });
  const { shown: without } = await createUser();
  const wrong: readonly (readonly [string | undefined, string | undefined])[] = [
    [shown.username, "wrong"],
    [without.username, "wrong"],
    [uniqueName("nobody"), "wrong"],
    [shown.username, undefined],
    [undefined, "secret"],
    [undefined, undefined],
  ];
  const tried = [];
  for (const [name, password] of wrong) {
    const { answer, cost } = await costOf(async (client) => logIn(name, password, client));
    tried.push({
      status: answer.status,
      text: answer.text,
      headers: comparable(answer),
      cost,
    });
  }
  const [first, ...others] = tried;
  expect(first).toMatchObject({ status: 400, cost: { d1: 1, kv: 0, opens: 1, comparisons: 1 } });
  expect(others).toEqual(others.map(() => first));
});

test("a secret is compared in constant time, whatever its length §6.5.2 §V11.2", async () => {
  const { shown } = await createUser({ password: "secret" });
  for (const sent of ["s", "secreT", "secrets", "x".repeat(1000)]) {
    const compared = vi.spyOn(crypto.subtle, "timingSafeEqual");
    await logIn(shown.username, sent);
    await guarded("DELETE", "/pet/1", { headers: { api_key: sent } });
    expect(compared.mock.calls.map(([one]) => one.byteLength)).toEqual([sent.length, sent.length]);
    // It throws where the lengths differ.
    expect(compared.mock.results.map(({ type }) => type)).toEqual(["return", "return"]);
    vi.restoreAllMocks();
  }
});
