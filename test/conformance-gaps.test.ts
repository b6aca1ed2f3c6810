// Statements of the contract that no test of a feature holds.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import openApi from "../openapi.json";
import swagger from "../swagger.json";
import { send } from "./client.ts";
import type { Sent } from "./client.ts";
import {
  createPet,
  createUser,
  freeOrderIds,
  logIn,
  outcome,
  placeOrder,
  refusal,
  uniqueId,
  uniqueName,
} from "./fixtures.ts";
import { Calls, clientWith, d1Through, kvThrough } from "./stores.ts";
import type { Fault } from "./stores.ts";

const UNAVAILABLE = refusal(503, "Service unavailable");
const TRANSIENT = "D1_ERROR: Network connection lost.";

const firstCalls = (count: number, fault: Fault): Calls =>
  new Calls((call) => (call < count ? fault : undefined));

afterEach(() => {
  vi.restoreAllMocks();
});

test("the interface has the version 1.0.0 and lies under /v2", () => {
  expect([openApi.info.version, swagger.info.version]).toEqual(["1.0.0", "1.0.0"]);
  expect(openApi.servers.map(({ url }) => url)).toEqual(["http://localhost:8787/v2", "/v2"]);
  expect(swagger.basePath).toBe("/v2");
});

test("a list has every pet that was asked for, also where there are thousands", async () => {
  const count = 6000;
  const first = uniqueId() * 1000;
  const tag = uniqueName("long");
  await env.DB.prepare(
    `insert into pets (id, name, photoUrls, tags, status)
     with recursive n (i) as (select 0 union all select i + 1 from n where i < ?1 - 1)
     select ?2 + i, 'pet ' || i, '"a.png"', json_array(?3), 'pending' from n`,
  )
    .bind(count, first, tag)
    .run();
  const ids = Array.from({ length: count }, (_, index) => first + index);
  for (const path of ["/pet/findByStatus?status=pending", `/pet/findByTags?tags=${tag}`]) {
    const found = (await send("GET", path)).json as { id: number }[];
    expect(found.map(({ id }) => id)).toEqual(ids);
  }
  await env.DB.prepare("delete from pets where id >= ?").bind(first).run();
});

test.each([".", ".."])("a username that no URL can address is refused: %s", async (username) => {
  const refused = refusal(400, "Invalid user supplied", "username");
  expect(outcome(await send("POST", "/user", { json: { username } }))).toEqual(refused);
  const { path, shown } = await createUser();
  expect(outcome(await send("PUT", path, { json: { username } }))).toEqual(refused);
  expect((await send("GET", path)).json).toEqual(shown);
});

test("a wrong login costs the same, whatever is wrong: one call of D1 and one password opened", async () => {
  const { shown: ann } = await createUser({ password: "secret" });
  const { shown: without } = await createUser();
  const opened = vi.spyOn(crypto.subtle, "decrypt");
  const attempts: readonly (readonly [string | undefined, string | undefined])[] = [
    [ann.username, "wrong"],
    [without.username, "wrong"],
    [uniqueName("nobody"), "wrong"],
    [ann.username, undefined],
    [undefined, "secret"],
    [undefined, undefined],
  ];
  for (const [username, password] of attempts) {
    opened.mockClear();
    const d1 = new Calls();
    const answer = await logIn(username, password, clientWith({ DB: d1Through(d1) }));
    expect(answer.status).toBe(400);
    expect([d1.count, opened.mock.calls.length]).toEqual([1, 1]);
  }
});

test("in open mode credentials are ignored where pets and orders are read and written", async () => {
  await freeOrderIds();
  const pet = await createPet();
  const order = await placeOrder({ quantity: 1 });
  const headers = {
    Authorization: `Bearer ${"A".repeat(43)}`,
    Cookie: "session=dead",
    api_key: "wrong",
  };
  const requests: readonly (readonly [method: string, path: string, sent?: Sent])[] = [
    ["POST", "/pet", { json: { name: "Rex", photoUrls: "rex.png" } }],
    ["PUT", "/pet", { json: { ...pet.shown, name: "Max" } }],
    ["GET", "/pet/findByStatus?status=sold"],
    ["GET", "/pet/findByTags?tags=dog"],
    ["GET", pet.path],
    ["DELETE", pet.path],
    ["GET", "/store/inventory"],
    ["POST", "/store/order", { json: {} }],
    ["GET", order.path],
    ["DELETE", order.path],
    ["POST", "/user", { json: {} }],
  ];
  for (const [method, path, sent] of requests) {
    expect((await send(method, path, { ...sent, headers })).status).toBe(200);
  }
});

test("the local rate limit lets a load test through: a million requests a minute", () => {
  expect(Number(env.REQUESTS_PER_MINUTE)).toBeGreaterThanOrEqual(1_000_000);
});

describe("a fault that passes", () => {
  test.each(["before", "after"] as const)(
    "of KV does not show, neither at login nor at logout: %s the call was done",
    async (when) => {
      const { shown } = await createUser({ password: "secret" });
      const fault = { when, message: "KV failed: 500 Internal Server Error" };

      const atLogin = firstCalls(4, fault);
      const login = await logIn(
        shown.username,
        "secret",
        clientWith({ SESSIONS: kvThrough(atLogin) }),
      );
      expect([login.status, atLogin.count]).toEqual([200, 5]);
      const Cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
      const sessions = (await env.SESSIONS.list()).keys.length;

      const atLogout = firstCalls(4, fault);
      const client = clientWith({ SESSIONS: kvThrough(atLogout) });
      const logout = await client("GET", "/user/logout", { headers: { Cookie } });
      expect([logout.status, atLogout.count]).toEqual([200, 5]);
      expect((await env.SESSIONS.list()).keys).toHaveLength(sessions - 1);
    },
  );

  test("of D1 at a delete is answered 503 without another try, which could only say 404", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const paths = [
      (await createPet()).path,
      (await placeOrder()).path,
      (await createUser()).path,
    ] as const;
    for (const path of paths) {
      const d1 = firstCalls(1, { when: "after", message: TRANSIENT });
      const answer = await clientWith({ DB: d1Through(d1) })("DELETE", path);
      expect(outcome(answer)).toEqual(UNAVAILABLE);
      expect(d1.count).toBe(1);
      expect((await send("DELETE", path)).status).toBe(404);
    }
  });
});
