import { expect, test } from "vitest";
import { send } from "../client.ts";
import {
  clientWith,
  createSession,
  done,
  logIn,
  outcome,
  sessionOf,
  tokenOf,
} from "../fixtures.ts";
import { Calls, databaseThrough, kvThrough } from "../bindings.ts";
import { basePath, sessions } from "../engine.ts";

const newToken = async () => (await createSession()).token;

const isLive = async (token: string): Promise<boolean> =>
  (await sessionOf(token, Date.now())) !== undefined;

const CLEARED = `session=; HttpOnly; SameSite=Strict; Path=${basePath}; Max-Age=0`;

test.each<[string, (token: string) => Record<string, string>]>([
  ["the cookie", (token) => ({ Cookie: `session=${token}` })],
  ["the cookie among others", (token) => ({ Cookie: `a=1; session=${token}; theme=dark` })],
  ["Bearer", (token) => ({ Authorization: `Bearer ${token}` })],
  ["bearer in lower case", (token) => ({ Authorization: `bearer ${token}` })],
])(
  "logout ends the session presented as %s, and clears the cookie §6.2.2 §6.3.1 §V7.4",
  async (_, headers) => {
    const token = await newToken();
    expect(await isLive(token)).toBe(true);
    const keysBefore = (await sessions.list()).keys.length;
    const answer = await send("GET", "/user/logout", { headers: headers(token) });
    expect(outcome(answer)).toEqual(done("ok"));
    expect(answer.headers.getSetCookie()).toEqual([CLEARED]);
    expect(await isLive(token)).toBe(false);
    expect((await sessions.list()).keys).toHaveLength(keysBefore - 1);
  },
);

test("logout ends the session of the cookie and that of the bearer token, and no other §6.3.1 §V7.4", async () => {
  const [cookie, { token: bearer, username }] = [await newToken(), await createSession()];
  const other = tokenOf(await logIn(username, "secret"));
  const answer = await send("GET", "/user/logout", {
    headers: { Cookie: `session=${cookie}`, Authorization: `Bearer ${bearer}` },
  });
  expect(answer.headers.getSetCookie()).toEqual([CLEARED]);
  expect([await isLive(cookie), await isLive(bearer), await isLive(other)]).toEqual([
    false,
    false,
    true,
  ]);
});

test("logout ends the sessions of several cookies of the name §6.3.1", async () => {
  const [one, two, three] = [await newToken(), await newToken(), await newToken()];
  const Cookie = `session=${one}; xsession=${three}; session="${two}"; theme=dark`;
  await send("GET", "/user/logout", { headers: { Cookie } });
  expect([await isLive(one), await isLive(two), await isLive(three)]).toEqual([false, false, true]);
});

test.each<[string, (one: string, other: string) => Record<string, string>, number]>([
  ["no token", () => ({ Cookie: "theme=dark" }), 0],
  ["what cannot be a token", () => ({ Cookie: "session=dead", Authorization: "Bearer x y" }), 0],
  ["one token", (one) => ({ Cookie: `session=${one}` }), 1],
  ["one token twice", (one) => ({ Cookie: `session=${one}`, Authorization: `Bearer ${one}` }), 1],
  ["two tokens", (one, two) => ({ Cookie: `session=${one}`, Authorization: `Bearer ${two}` }), 2],
])("logout with %s makes a call to KV for each, and none to D1 §6.3.1", async (_, headers, kv) => {
  const [one, other] = [await newToken(), await newToken()];
  const calls = new Calls();
  const client = clientWith({ SESSIONS: kvThrough(calls), ...databaseThrough(calls) });
  expect((await client("GET", "/user/logout", { headers: headers(one, other) })).status).toBe(200);
  expect(calls.trace.filter((store) => store === "KV")).toHaveLength(kv);
  expect(calls.trace.filter((store) => store === "D1")).toHaveLength(0);
});

test("logout with more tokens than any client has costs ten calls to KV §6.3.1", async () => {
  const tokens = Array.from({ length: 200 }, (_, index) => String(index).padStart(43, "A"));
  const calls = new Calls();
  const client = clientWith({ SESSIONS: kvThrough(calls) });
  const Cookie = tokens.map((token) => `session=${token}`).join("; ");
  expect(outcome(await client("GET", "/user/logout", { headers: { Cookie } }))).toEqual(done("ok"));
  expect(calls.count).toBe(10);
});

test("logout with a session that is over, or expired, is still ok §6.3.2", async () => {
  const headers = { Cookie: `session=${await newToken()}` };
  const tomorrow = clientWith({}, { now: () => Date.now() + 86_400_000 });
  for (const client of [tomorrow, send, send]) {
    expect(outcome(await client("GET", "/user/logout", { headers }))).toEqual(done("ok"));
  }
});

test.each<[string, Record<string, string>]>([
  ["nothing", {}],
  ["an unknown token", { Authorization: `Bearer ${"A".repeat(43)}` }],
  ["an empty cookie", { Cookie: "session=" }],
  ["a cookie of no UTF-8", { Cookie: "session=%ZZ" }],
  ["a cookie with half of its quotes", { Cookie: 'session="' }],
  ["another cookie", { Cookie: "theme=dark" }],
  ["no token behind Bearer", { Authorization: "Bearer " }],
  ["another scheme", { Authorization: "Basic YTpi" }],
  ["what is no token", { Authorization: "Bearer ../../%00;," }],
])(
  "logout with %s is 200 ok, clears the cookie and ends nobody's session §6.3.2 §R4",
  async (_, headers) => {
    const token = await newToken();
    const answer = await send("GET", "/user/logout", { headers });
    expect(outcome(answer)).toEqual(done("ok"));
    expect(answer.headers.getSetCookie()).toEqual([CLEARED]);
    expect(await isLive(token)).toBe(true);
  },
);

test("on https the cookie that clears the session is Secure too §6.1.3 §V3.3", async () => {
  const answer = await clientWith({}, { https: true })("GET", "/user/logout");
  expect(answer.headers.getSetCookie()).toEqual([`${CLEARED}; Secure`]);
});
