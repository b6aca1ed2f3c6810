import { afterEach, describe, expect, test, vi } from "vitest";
import { PERMANENT, failing, type Overrides } from "../bindings.ts";
import { attemptLogin, createUser, protectedEnv, sandbox, send } from "../client.ts";
import { configure, protect } from "../sandbox/sandboxes.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Creates a limiter that allows this many calls per key and records the keys. */
function limiter(most = Infinity) {
  const keys: string[] = [];
  const limit = async ({ key }: RateLimitOptions) => {
    keys.push(key);
    return { success: keys.filter((each) => each === key).length <= most };
  };
  return { keys, limit };
}

const from = (address: string) => ({ "cf-connecting-ip": address });

describe("requests", () => {
  test("beyond the limit of an address return 429 with Retry-After, and have no effect", async () => {
    const REQUESTS = limiter(2);
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) {
      const json = { id: 700, name: "Rex", photoUrls: [], status: statuses.length < 2 ? "sold" : "pending" };
      const response = await send("POST", "/v2/pet", {
        json,
        headers: from(address),
        env: { RATE_LIMITS: "on", REQUESTS },
      });
      statuses.push(response.status);
      if (response.status === 429) {
        expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
        expect(await response.json()).toMatchObject({ code: 429, type: "error" });
      }
    }
    expect(statuses).toEqual([200, 200, 429, 405]);
  });

  test("from an IPv6 client count for its /64", async () => {
    const REQUESTS = limiter();
    for (const address of [
      ..."2001:db8:0:1::1 2001:DB8:0:1:ffff:ffff:ffff:ffff".split(" "),
      ..."2001:0db8:0000:0001:0000:0000:0000:0001 2001:db8::1:0:0:0:1 2001:db8::1".split(" "),
      ..."2001:db8:0:0:8000:: 2001:db8:0:2::1 ::1 192.0.2.1 192.0.2.2".split(" "),
    ]) {
      await send("GET", "/v2/store/inventory", { headers: from(address), env: { RATE_LIMITS: "on", REQUESTS } });
    }
    const [one, two, three, four, five, six, ...others] = REQUESTS.keys;
    expect(new Set([one, two, three, four]).size).toBe(1);
    expect(six).toBe(five);
    expect(new Set([one, five, ...others]).size).toBe(6);
  });

  test("count for all clients together if clients could set CF-Connecting-IP", async () => {
    const REQUESTS = limiter(2);
    const LOGINS = limiter(1);
    const settings = { REQUESTS, LOGINS, BEHIND_CLOUDFLARE: "no" };
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.2", "2001:db8::1"]) {
      statuses.push((await guess("nobody", address, settings)).status);
    }
    expect(statuses).toEqual([400, 429, 429]);
    expect(new Set(REQUESTS.keys).size).toBe(1);
    expect(new Set(LOGINS.keys).size).toBe(1);
  });

  const interfaces = ["/v2", "/sandboxes/limiter-that-fails/v2"];
  test.each(interfaces)("are allowed if the limiter fails, and the failure is logged: %s", async (base) => {
    const lines: string[] = [];
    for (const method of ["log", "error"] as const) {
      vi.spyOn(console, method).mockImplementation((line: string) => void lines.push(line));
    }
    const REQUESTS = failing<RateLimit>(limiter(), { call: () => ({ when: "before", error: PERMANENT }) });
    const response = await send("GET", `${base}/store/inventory`, { env: { RATE_LIMITS: "on", REQUESTS } });
    expect(response.status).toBe(200);
    expect(lines.join(" ")).toContain(PERMANENT.message);
    // For a sandbox, the Worker and the Durable Object each log a line.
    for (const line of lines) expect(line).toContain(response.headers.get("x-request-id"));
  });
});

/** Protected access with these limiters. */
const limited = (limiters: Overrides) => ({ ...protectedEnv, RATE_LIMITS: "on", ...limiters });

const guess = async (username: string, address: string, limiters: Overrides, password = "wrong") =>
  attemptLogin({ username, password }, { headers: from(address), env: limited(limiters) });

describe("password attempts", () => {
  test("are limited per username and address, whether right or wrong", async () => {
    const { username, password } = await createUser();
    const limiters = { LOGINS: limiter(2) };
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) {
      statuses.push((await guess(username, address, limiters)).status);
    }
    expect(statuses).toEqual([400, 400, 429, 400]);
    expect((await guess("somebody-else", "192.0.2.1", limiters)).status).toBe(400);
    const right = await guess(username, "192.0.2.1", limiters, password);
    expect(right.status).toBe(429);
    expect(right.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(right.headers.get("set-cookie")).toBeNull();
  });

  test("are limited per username over all addresses", async () => {
    const { username } = await createUser();
    const limiters = { LOGINS: limiter(1), LOGINS_PER_USER: limiter(2) };
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      statuses.push((await guess(username, address, limiters)).status);
    }
    expect(statuses).toEqual([400, 429, 400, 429]);
    // An attempt over the limit of one address does not count for all addresses.
    expect(limiters.LOGINS_PER_USER.keys).toHaveLength(3);
    expect(new Set(limiters.LOGINS_PER_USER.keys).size).toBe(1);
  });

  test.each(["/v2/user", "/v2/user/createWithArray", "/v2/user/createWithList", "/api/v3/user"])(
    "include sign-ups with a username that is in use: %s",
    async (path) => {
      const user = await createUser({ password: "secret" });
      const LOGINS = limiter(2);
      const statuses = [];
      for (const password of ["one", "two", "secret"]) {
        const one = { ...user, password };
        const json = path.includes("createWith") ? [one] : one;
        const init = { json, headers: from("192.0.2.1"), env: limited({ LOGINS }) };
        statuses.push((await send("POST", path, init)).status);
      }
      expect(statuses).toEqual([409, 409, 429]);
    },
  );

  test("do not include sign-ups with an unused username", async () => {
    const LOGINS = limiter(0);
    expect((await createUser({}, { env: limited({ LOGINS }) })).id).toBeGreaterThan(0);
  });

  test("of users without a username count for each user", async () => {
    const LOGINS = limiter(1);
    const statuses = [];
    for (const id of [8101, 8102]) {
      await send("POST", "/v2/user", { json: { id, password: "secret" } });
      for (const password of ["one", "two"]) {
        const init = { json: { id, password }, headers: from("192.0.2.1"), env: limited({ LOGINS }) };
        statuses.push((await send("POST", "/v2/user", init)).status);
      }
    }
    expect(statuses).toEqual([409, 429, 409, 429]);
  });

  test("are not counted where access is open", async () => {
    const LOGINS = limiter(0);
    for (const base of ["/v2", `${sandbox()}/v2`]) {
      const response = await attemptLogin(
        { username: "nobody", password: "wrong" },
        { base, env: { RATE_LIMITS: "on", LOGINS } },
      );
      expect(response.status).toBe(400);
    }
    expect(LOGINS.keys).toEqual([]);
  });

  test("are limited in a protected sandbox, whatever the access of the service", async () => {
    const path = sandbox();
    await configure(path, { RATE_LIMITS: "on", LOGINS: limiter(1) });
    await protect(path, "the key of this sandbox");
    const statuses = [];
    for (let time = 0; time < 2; time++) {
      const base = `${path}/v2`;
      statuses.push((await attemptLogin({ username: "nobody", password: "wrong" }, { base })).status);
    }
    expect(statuses).toEqual([400, 429]);
  });
});

test.each(["REQUESTS", "LOGINS", "LOGINS_PER_USER"])("%s counts nothing if RATE_LIMITS is off", async (name) => {
  const env = { ...protectedEnv, RATE_LIMITS: "off", [name]: limiter(0) };
  expect((await attemptLogin({ username: "nobody", password: "wrong" }, { env })).status).toBe(400);
});
