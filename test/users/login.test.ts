import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { attemptLogin, createUser, logIn, protectedEnv, send, uniqueName } from "../client.ts";

/** Whether the session is accepted with protected access. */
async function isLive(token: string, username: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await send("GET", `/v2/user/${username}`, { headers, env: protectedEnv });
  return status === 200;
}

/** Returns the KV entry of a token's session. Its key ends in the token's SHA-256. */
async function storedSession(token: string) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  const bytes = new Uint8Array(digest);
  const base64url = bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  const { keys } = await env.SESSIONS.list();
  const key = keys.find(({ name }) => name.endsWith(bytes.toHex()) || name.endsWith(base64url));
  if (!key) throw new Error("no session under the SHA-256 of the token");
  return { ...key, value: (await env.SESSIONS.get(key.name)) ?? "" };
}

const countSessions = async () => (await env.SESSIONS.list()).keys.length;

describe("GET /user/login", () => {
  test("returns a different 256-bit token each time", async () => {
    const user = await createUser();
    const tokens = new Set<string | undefined>();
    for (let login = 0; login < 2; login++) {
      const { message, ...body } = await (await attemptLogin(user)).json<{ message: string }>();
      expect(body).toEqual({ code: 200, type: "unknown" });
      expect(message).toMatch(/^logged in user session:[A-Za-z0-9_-]{43}$/);
      tokens.add(message.split(":")[1]);
    }
    expect(tokens.size).toBe(2);
  });

  test.each([
    ["http", ["HttpOnly", "Max-Age=3600", "Path=/v2", "SameSite=Strict"]],
    ["https", ["HttpOnly", "Max-Age=3600", "Path=/v2", "SameSite=Strict", "Secure"]],
  ])("over %s sets the token as a cookie with %j", async (scheme, attributes) => {
    const response = await attemptLogin(await createUser(), { base: `${scheme}://petstore.test/v2` });
    const { message } = await response.json<{ message: string }>();
    const [cookie, ...others] = (response.headers.get("set-cookie") ?? "").split("; ");
    expect(cookie).toBe(`session=${message.split(":")[1]}`);
    expect(others.toSorted()).toEqual(attributes);
    const logout = await send("GET", `${scheme}://petstore.test/v2/user/logout`);
    expect(logout.headers.get("set-cookie")?.includes("Secure")).toBe(scheme === "https");
  });

  test.each(["/v2", "/api/v3"])(
    "as HEAD %s/user/login returns only the status, and starts no session",
    async (base) => {
      const { username, password } = await createUser();
      const before = await countSessions();
      for (const [sent, status] of [
        [password, 200],
        ["wrong", 400],
      ] as const) {
        const query = new URLSearchParams({ username, password: sent }).toString();
        const { headers, status: got } = await send("HEAD", `${base}/user/login?${query}`);
        expect([sent, got, headers.get("set-cookie")]).toEqual([sent, status, null]);
        expect(headers.get("x-expires-after")).toBeNull();
      }
      expect(await countSessions()).toBe(before);
    },
  );

  test("as HEAD /user/logout ends no session, and clears no cookie", async () => {
    const user = await createUser();
    const token = await logIn(user);
    const headers = { authorization: `Bearer ${token}` };
    const response = await send("HEAD", "/v2/user/logout", { headers });
    expect([response.status, response.headers.get("set-cookie")]).toEqual([200, null]);
    expect(await isLive(token, user.username)).toBe(true);
  });

  test("returns the actual expiry and the actual request limit", async () => {
    const settings = { SESSION_SECONDS: "120", REQUESTS_PER_MINUTE: "42" };
    const response = await attemptLogin(await createUser(), { env: settings });
    expect(response.headers.get("x-rate-limit")).toBe("42");
    expect(response.headers.get("set-cookie")).toContain("Max-Age=120");
    const expires = response.headers.get("x-expires-after") ?? "";
    expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    const { message } = await response.json<{ message: string }>();
    const { value, expiration = 0 } = await storedSession(message.split(":")[1] ?? "");
    expect(value).toContain(String(Date.parse(expires)));
    // KV accepts whole seconds.
    expect(Math.abs(expiration * 1000 - Date.parse(expires))).toBeLessThan(2000);
  });

  test("stores the session under its token's SHA-256, without the token or the password", async () => {
    const token = await logIn(await createUser({ password: "a-clear-password" }));
    const { name, value, metadata } = await storedSession(token);
    const stored = JSON.stringify([name, value, metadata]);
    for (const secret of [token, "a-clear-password"]) expect(stored).not.toContain(secret);
  });

  test("returns the same 400 for every failed login, without a cookie", async () => {
    const { username } = await createUser({ password: "secret" });
    const other = await createUser({ password: "other" });
    const without = await createUser({ password: undefined });
    for (const query of [
      ...["wrong", "Secret", "secre", "secret%20", "secret%FF", other.password, "", "x".repeat(5000)].map(
        (password) => `username=${username}&password=${password}`,
      ),
      ...[uniqueName("nobody"), username.toUpperCase(), without.username, "", "%00"].map(
        (name) => `username=${name}&password=secret`,
      ),
      "",
      "password=secret",
      `username=${username}`,
      `username=${without.username}&password=`,
      `username=${username}&username=${username}&password=secret`,
    ]) {
      const response = await send("GET", `/v2/user/login?${query}`);
      const rejected = { code: 400, type: "error", message: "Invalid username/password supplied" };
      expect(await response.json(), query).toEqual(rejected);
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(response.headers.get("x-expires-after")).toBeNull();
    }
  });
});

describe("a session", () => {
  test("expires when its value says, even if KV still has it", async () => {
    const user = await createUser();
    const token = await logIn(user);
    const { name, value } = await storedSession(token);
    // The expiry is the only long number in the value.
    await env.SESSIONS.put(name, value.replace(/(?<=:)\d{12,}/, "1000000000000"));
    expect(await isLive(token, user.username)).toBe(false);
    await env.SESSIONS.put(name, value);
    expect(await isLive(token, user.username)).toBe(true);
  });

  test("ends when its user is deleted, even if a new user has the same name", async () => {
    const user = await createUser();
    const token = await logIn(user);
    await send("DELETE", `/v2/user/${user.username}`);
    expect(await isLive(token, user.username)).toBe(false);
    await createUser(user);
    expect(await isLive(token, user.username)).toBe(false);
  });

  test("ends when the password changes, but not with any other update", async () => {
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
    [{ authorization: "Bearer TOKEN" }, "DELETE", 200],
    [{ cookie: "a=1; session=TOKEN; b=2" }, "DELETE", 200],
    [{ cookie: "xsession=TOKEN" }, "GET", 401],
    [{ cookie: "session=TOKEN", "sec-fetch-site": "cross-site" }, "GET", 200],
    [{ cookie: "session=TOKEN", "sec-fetch-site": "same-origin" }, "DELETE", 200],
    [{ cookie: "session=TOKEN", "sec-fetch-site": "none" }, "DELETE", 200],
    [{ cookie: "session=TOKEN", "sec-fetch-site": "same-site" }, "DELETE", 401],
    [{ cookie: "session=TOKEN", "sec-fetch-site": "cross-site" }, "DELETE", 401],
  ])("sent as %j with %s returns %i", async (presented, method, status) => {
    const user = await createUser();
    const token = await logIn(user);
    const headers = Object.entries(presented).map(([name, value]) => [name, value.replace("TOKEN", token)]);
    const init = { headers: Object.fromEntries(headers) as HeadersInit, env: protectedEnv };
    expect((await send(method, `/v2/user/${user.username}`, init)).status).toBe(status);
  });
});

describe("GET /user/logout", () => {
  test("ends only the sessions of the cookie and the bearer token, and clears the cookie", async () => {
    const user = await createUser();
    const [cookie, bearer, other] = [await logIn(user), await logIn(user), await logIn(user)];
    const headers = { cookie: `a=1; session=${cookie}`, authorization: `Bearer ${bearer}` };
    const response = await send("GET", "/v2/user/logout", { headers });
    expect(await response.json()).toEqual({ code: 200, type: "unknown", message: "ok" });
    const cleared = response.headers.get("set-cookie");
    expect(cleared).toMatch(/^session=; .*Max-Age=0/);
    expect(cleared).toContain("Path=/v2");
    const live = [cookie, bearer, other].map(async (token) => isLive(token, user.username));
    expect(await Promise.all(live)).toEqual([false, false, true]);
  });

  test("ends the sessions of all cookies with this name, even after unknown ones", async () => {
    const user = await createUser();
    const tokens = [await logIn(user), await logIn(user)];
    for (const cookie of [
      `session=unknown; session=${tokens[0]}`,
      `a=session=1;session=${"A".repeat(43)};b; session=${tokens[1]} ; session=`,
    ]) {
      expect((await send("GET", "/v2/user/logout", { headers: { cookie } })).status).toBe(200);
    }
    const live = tokens.map(async (token) => isLive(token, user.username));
    expect(await Promise.all(live)).toEqual([false, false]);
  });

  test.each<Record<string, string>>([
    {},
    { authorization: `Bearer ${"A".repeat(43)}` },
    { cookie: "session=" },
    { cookie: "session=%ZZ" },
  ])("also returns 200 with %j", async (headers) => {
    const response = await send("GET", "/v2/user/logout", { headers });
    expect(await response.json()).toEqual({ code: 200, type: "unknown", message: "ok" });
  });
});
