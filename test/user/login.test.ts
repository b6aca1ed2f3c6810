import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createUser, logIn, protectedEnv, send, uniqueName } from "../client.ts";
import type { Init } from "../client.ts";

const attempt = async (username: string, password: string, init?: Init) =>
  send("GET", `/v2/user/login?${new URLSearchParams({ username, password }).toString()}`, init);

/** Whether a Worker with protected access takes this session. */
async function isLive(token: string, username: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await send("GET", `/v2/user/${username}`, { headers, env: protectedEnv });
  return status === 200;
}

const keysInKv = async () => (await env.SESSIONS.list()).keys.map(({ name }) => name);

describe("GET /user/login", () => {
  test("answers with another token of 256 bits each time", async () => {
    const user = await createUser();
    const tokens = [];
    for (let login = 0; login < 2; login++) {
      const response = await attempt(user.username, user.password);
      const { message, ...body } = await response.json<{ message: string }>();
      expect(body).toEqual({ code: 200, type: "unknown" });
      tokens.push(/^logged in user session:([A-Za-z0-9_-]{43})$/.exec(message)?.[1]);
      expect(response.headers.get("cache-control")).toContain("no-store");
    }
    expect(new Set(tokens).size).toBe(2);
    expect(tokens).not.toContain(undefined);
  });

  test.each([
    ["http://petstore.test/v2", ""],
    ["https://petstore.test/v2", "; Secure"],
  ])(
    "sets the token as a cookie that scripts and other sites cannot use: %s",
    async (base, secure) => {
      const user = await createUser();
      const query = new URLSearchParams({ username: user.username, password: user.password });
      const response = await send("GET", `${base}/user/login?${query.toString()}`);
      const { message } = await response.json<{ message: string }>();
      const cookie = response.headers.get("set-cookie") ?? "";
      expect(cookie.split("; ").slice(1).toSorted()).toEqual(
        [
          "HttpOnly",
          "SameSite=Strict",
          "Path=/v2",
          "Max-Age=3600",
          ...(secure ? ["Secure"] : []),
        ].toSorted(),
      );
      expect(cookie.split("; ")[0]).toBe(`session=${message.split(":")[1]}`);
    },
  );

  test("shows the true expiry and the true limit of requests", async () => {
    const user = await createUser();
    const response = await attempt(user.username, user.password, {
      env: { SESSION_SECONDS: "120", REQUESTS_PER_MINUTE: "42" },
    });
    expect(response.headers.get("x-rate-limit")).toBe("42");
    expect(response.headers.get("set-cookie")).toContain("Max-Age=120");
    const expires = response.headers.get("x-expires-after") ?? "";
    expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    const { message } = await response.json<{ message: string }>();
    const stored = await storedSession(message.split(":")[1] ?? "");
    expect(JSON.stringify(stored.value)).toContain(String(Date.parse(expires)));
    // KV takes whole seconds.
    expect(Math.abs((stored.expiration ?? 0) * 1000 - Date.parse(expires))).toBeLessThan(2000);
  });

  test("stores the session under the SHA-256 of its token, without token and password", async () => {
    const user = await createUser({ password: "a-clear-password" });
    const token = await logIn(user);
    const { value } = await storedSession(token);
    for (const secret of [token, "a-clear-password"]) {
      expect(JSON.stringify(value)).not.toContain(secret);
      expect((await keysInKv()).filter((key) => key.includes(secret))).toEqual([]);
    }
  });

  test("gives every wrong attempt the same 400, and no cookie", async () => {
    const { username } = await createUser({ password: "secret" });
    const other = await createUser({ password: "other" });
    const without = await createUser({ password: undefined });
    const before = (await keysInKv()).length;
    const bodies = new Set<string>();
    for (const query of [
      `username=${username}&password=wrong`,
      `username=${username}&password=Secret`,
      `username=${username}&password=secre`,
      `username=${username}&password=secret%20`,
      `username=${username}&password=${other.password}`,
      `username=${uniqueName("nobody")}&password=secret`,
      `username=${username.toUpperCase()}&password=secret`,
      `username=${without.username}&password=secret`,
      `username=${without.username}&password=`,
      `username=${username}`,
      `username=${username}&password=`,
      "password=secret",
      "username=&password=secret",
      "",
      `username=${username}&username=${username}&password=secret`,
      `username=${username}&password=secret&password=wrong`,
      "username=%00&password=secret",
      `username=${username}&password=${"x".repeat(5000)}`,
    ]) {
      const response = await send("GET", `/v2/user/login?${query}`);
      expect([query, response.status]).toEqual([query, 400]);
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(response.headers.get("x-expires-after")).toBeNull();
      bodies.add(await response.text());
    }
    expect([...bodies]).toEqual([
      JSON.stringify({ code: 400, type: "error", message: "Invalid username/password supplied" }),
    ]);
    expect(await keysInKv()).toHaveLength(before);
  });
});

/** What KV holds of the session of a token. */
async function storedSession(token: string) {
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)),
  );
  const forms = [
    digest.toHex(),
    digest.toBase64({ alphabet: "base64url", omitPadding: true }),
    digest.toBase64(),
  ];
  const { keys } = await env.SESSIONS.list();
  const key = keys.find(({ name }) => forms.some((form) => name.endsWith(form)));
  if (!key) throw new Error("no session under the SHA-256 of the token");
  return { expiration: key.expiration, value: await env.SESSIONS.get(key.name) };
}

describe("a session", () => {
  test("counts no longer than its value says, even while KV still has it", async () => {
    const user = await createUser();
    const token = await logIn(user);
    expect(await isLive(token, user.username)).toBe(true);
    const { keys } = await env.SESSIONS.list();
    for (const { name } of keys) {
      const value = (await env.SESSIONS.get(name)) ?? "";
      // Expiries are the only long numbers in a session.
      await env.SESSIONS.put(name, value.replaceAll(/(?<=:)\d{12,}/g, "1000000000000"));
    }
    expect(await isLive(token, user.username)).toBe(false);
  });

  test("ends when its user is deleted, also for a new user of that name", async () => {
    const user = await createUser();
    const token = await logIn(user);
    await send("DELETE", `/v2/user/${user.username}`);
    expect(await isLive(token, user.username)).toBe(false);
    await createUser(user);
    expect(await isLive(token, user.username)).toBe(false);
  });

  test("ends with a new password, and with no other change", async () => {
    const user = await createUser();
    const token = await logIn(user);
    const path = `/v2/user/${user.username}`;
    for (const json of [{ phone: "1" }, { password: "" }, { password: null }]) {
      await send("PUT", path, { json });
      expect(await isLive(token, user.username)).toBe(true);
    }
    await send("PUT", path, { json: { password: "changed" } });
    expect(await isLive(token, user.username)).toBe(false);
  });

  test.each([
    ["the bearer token", (token: string) => ({ authorization: `Bearer ${token}` }), "DELETE", 200],
    [
      "bearer in lower case",
      (token: string) => ({ authorization: `bearer ${token}` }),
      "DELETE",
      200,
    ],
    [
      "the cookie, for a read",
      (token: string) => ({ cookie: `session=${token}`, "sec-fetch-site": "cross-site" }),
      "GET",
      200,
    ],
    [
      "the cookie without Sec-Fetch-Site",
      (token: string) => ({ cookie: `a=1; session=${token}; b=2` }),
      "DELETE",
      200,
    ],
    [
      "the cookie from the same origin",
      (token: string) => ({ cookie: `session=${token}`, "sec-fetch-site": "same-origin" }),
      "DELETE",
      200,
    ],
    [
      "the cookie from the address bar",
      (token: string) => ({ cookie: `session=${token}`, "sec-fetch-site": "none" }),
      "DELETE",
      200,
    ],
    [
      "the cookie from the same site",
      (token: string) => ({ cookie: `session=${token}`, "sec-fetch-site": "same-site" }),
      "DELETE",
      401,
    ],
    [
      "the cookie from another site",
      (token: string) => ({ cookie: `session=${token}`, "sec-fetch-site": "cross-site" }),
      "DELETE",
      401,
    ],
    ["a cookie of another name", (token: string) => ({ cookie: `xsession=${token}` }), "GET", 401],
    ["another scheme", (token: string) => ({ authorization: `Basic ${token}` }), "GET", 401],
  ])("is presented as %s", async (_, headersOf, method, status) => {
    const user = await createUser();
    const headers = headersOf(await logIn(user)) as Record<string, string>;
    const response = await send(method, `/v2/user/${user.username}`, {
      headers,
      env: protectedEnv,
    });
    expect(response.status).toBe(status);
  });
});

describe("GET /user/logout", () => {
  test.each([
    ["cookie", (token: string) => ({ cookie: `a=1; session=${token}` })],
    ["bearer token", (token: string) => ({ authorization: `Bearer ${token}` })],
  ])("ends the session of the %s, and clears the cookie", async (_, headersOf) => {
    const user = await createUser();
    const [token, other] = [await logIn(user), await logIn(user)];
    const headers = headersOf(token) as Record<string, string>;
    const response = await send("GET", "/v2/user/logout", { headers });
    expect(await response.json()).toEqual({ code: 200, type: "unknown", message: "ok" });
    expect(response.headers.get("set-cookie")).toMatch(/^session=; .*Max-Age=0/);
    expect(response.headers.get("set-cookie")).toContain("Path=/v2");
    expect(await isLive(token, user.username)).toBe(false);
    expect(await isLive(other, user.username)).toBe(true);
  });

  test("ends both sessions, if the cookie and the bearer token differ", async () => {
    const user = await createUser();
    const [cookie, bearer] = [await logIn(user), await logIn(user)];
    const headers = { cookie: `session=${cookie}`, authorization: `Bearer ${bearer}` };
    await send("GET", "/v2/user/logout", { headers });
    expect([await isLive(cookie, user.username), await isLive(bearer, user.username)]).toEqual([
      false,
      false,
    ]);
  });

  test.each([
    [{}],
    [{ authorization: `Bearer ${"A".repeat(43)}` }],
    [{ authorization: "Bearer ../../%00;," }],
    [{ authorization: "Basic YTpi" }],
    [{ cookie: "session=" }],
    [{ cookie: "session=%ZZ" }],
    [{ cookie: "theme=dark" }],
  ])("with %j is ok, too", async (headers) => {
    const response = await send("GET", "/v2/user/logout", {
      headers: headers as Record<string, string>,
    });
    expect(await response.json()).toEqual({ code: 200, type: "unknown", message: "ok" });
  });

  test("on https clears the cookie as a Secure one", async () => {
    const response = await send("GET", "https://petstore.test/v2/user/logout");
    expect(response.headers.get("set-cookie")).toContain("Secure");
  });
});
