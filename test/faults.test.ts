import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { send } from "./client.ts";
import type { Answer } from "./client.ts";
import {
  captureFaults,
  clientWith,
  countOf,
  createPet,
  createUser,
  expectUnavailable,
  logIn,
  placeOrder,
  uniqueId,
  uniqueName,
} from "./fixtures.ts";
import { exchange, prepare, underCondition, withChosenId } from "./operations.ts";
import type { Exchange, Special } from "./operations.ts";
import { Calls, databaseThrough, kvThrough } from "./stores.ts";
import type { Fault } from "./stores.ts";
import { database } from "./engine.ts";

const TRANSIENT = [
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: D1 DB storage caused object to be reset.",
  "D1_ERROR: D1 DB reset because its code was updated.",
];
const PERMANENT = [
  "D1_ERROR: no such table: pets: SQLITE_ERROR",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: not authorized: SQLITE_AUTH",
];

interface Faulty extends Special {
  /** The operation's id. */
  readonly operation: string;
  /** What is special about the request. */
  readonly when?: string;
}

interface Write extends Faulty {
  readonly table: "pets" | "orders" | "users";
  /** How many rows the write adds when it is done once. */
  readonly added: number;
}

const pet = { name: "Rex", photoUrls: "rex.png", tags: ["dog"], status: "sold" };

const reads: readonly Faulty[] = [
  "getPetById",
  "findPetsByStatus",
  "findPetsByTags",
  "getInventory",
  "getOrderById",
  "getUserByName",
  "loginUser",
].map((operation) => ({ operation }));

const withId = { when: "with a chosen id", but: withChosenId };

const repeatableWrites: readonly Write[] = [
  { operation: "addPet", ...withId, table: "pets", added: 1 },
  { operation: "updatePet", table: "pets", added: 0 },
  { operation: "placeOrder", ...withId, table: "orders", added: 1 },
  { operation: "createUser", when: "with a username", table: "users", added: 1 },
  {
    operation: "createUser",
    when: "with a chosen id",
    but: () => ({ json: { id: uniqueId(), password: "secret" } }),
    table: "users",
    added: 1,
  },
  { operation: "updateUser", table: "users", added: 0 },
];

const otherWrites: readonly Write[] = [
  { operation: "addPet", when: "without an id", table: "pets", added: 1 },
  { operation: "placeOrder", when: "without an id", table: "orders", added: 1 },
  {
    operation: "createUser",
    when: "without id and username",
    but: () => ({ json: {} }),
    table: "users",
    added: 1,
  },
  {
    operation: "updatePet",
    when: "under a condition",
    but: underCondition,
    table: "pets",
    added: 0,
  },
  {
    operation: "updateUser",
    when: "with another name",
    but: () => ({ json: { username: uniqueName("renamed") } }),
    table: "users",
    added: 0,
  },
];

/** As the titles of the tests have it, and with its request. */
const named = <Each extends Faulty>(each: Each) => ({
  ...each,
  operation: [each.operation, each.when].filter(Boolean).join(" "),
  request: async () => (await prepare(each.operation, each)).request,
});
const [READS, REPEATABLE, OTHERS] = [
  reads.map(named),
  repeatableWrites.map(named),
  otherWrites.map(named),
];

async function storedUser(): Promise<string> {
  return (await createUser({ password: "secret" })).shown.username ?? "";
}

async function countSold(): Promise<number> {
  return ((await send("GET", "/store/inventory")).json as { sold: number }).sold;
}

/** Sends a request to the service with a D1 that meets these faults. */
async function sendThrough(d1: Calls, request: Exchange): Promise<Answer> {
  return exchange(clientWith(databaseThrough(d1)), request);
}

const firstCalls = (count: number, fault: Fault) =>
  new Calls((call) => (call < count ? fault : undefined));

// The service logs each failure: test/http/log.test.ts.
beforeEach(() => {
  captureFaults();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a transient fault of D1", () => {
  for (const { operation, request } of [...READS, ...REPEATABLE]) {
    for (const message of TRANSIENT) {
      test(`does not show where another try helps: ${operation}, ${message} §7.6.3`, async () => {
        const d1 = firstCalls(1, { when: "before", message });
        const { status } = await sendThrough(d1, await request());
        expect(status).toBe(200);
        expect(d1.count).toBe(2);
      });
    }

    test(`is tried five times, then answered 503: ${operation} §7.6.1 §API10`, async () => {
      const fault = { when: "before", message: TRANSIENT[0] ?? "" } as const;
      const fourTimes = firstCalls(4, fault);
      expect((await sendThrough(fourTimes, await request())).status).toBe(200);
      expect(fourTimes.count).toBe(5);

      const always = firstCalls(Infinity, fault);
      expectUnavailable(await sendThrough(always, await request()));
      expect(always.count).toBe(5);
    });
  }

  for (const { operation, table, added, request } of REPEATABLE) {
    test(`that comes after the write was done leaves it done once: ${operation} §7.6.2 §7.6.3`, async () => {
      const sent = await request();
      const before = await countOf(table);
      const d1 = firstCalls(1, { when: "after", message: TRANSIENT[0] ?? "" });

      const { status } = await sendThrough(d1, sent);

      expect(status).toBe(200);
      expect(d1.count).toBe(2);
      expect(await countOf(table)).toBe(before + added);
    });
  }

  test("that comes after a pet with a chosen id was stored is answered with that pet, and one row exists", async () => {
    const sent = { id: uniqueId(), ...pet };
    const d1 = firstCalls(2, { when: "after", message: TRANSIENT[1] ?? "" });

    const answer = await sendThrough(d1, { method: "POST", path: "/pet", json: sent });

    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(sent);
    const rows = await database.prepare("select id from pets where id = ?").bind(sent.id).all();
    expect(rows.results).toEqual([{ id: sent.id }]);
    const found = await send("GET", `/pet/${sent.id}`);
    expect(found.headers.get("etag")).toBe(answer.headers.get("etag"));
  });

  test("that comes after a user was stored is answered with that user's id, and the password is right", async () => {
    const username = uniqueName("fault");
    const json = { username, password: "secret" };
    const d1 = firstCalls(1, { when: "after", message: TRANSIENT[2] ?? "" });

    const answer = await sendThrough(d1, { method: "POST", path: "/user", json });

    expect(answer.status).toBe(200);
    const found = await send("GET", `/user/${username}`);
    expect(found.json).toEqual({
      id: Number((answer.json as { message: string }).message),
      ...json,
    });
    const login = await send("GET", `/user/login?username=${username}&password=secret`);
    expect(login.status).toBe(200);
  });

  for (const { operation, table, added, request } of OTHERS) {
    for (const message of TRANSIENT) {
      test(`is answered 503 where another try might write twice: ${operation}, ${message} §7.6.4`, async () => {
        const sent = await request();
        const before = await countOf(table);

        const early = firstCalls(1, { when: "before", message });
        expectUnavailable(await sendThrough(early, sent));
        expect(early.count).toBe(1);
        expect(await countOf(table)).toBe(before);

        const late = firstCalls(1, { when: "after", message });
        expectUnavailable(await sendThrough(late, sent));
        expect(late.count).toBe(1);
        expect(await countOf(table)).toBe(before + added);
      });
    }
  }

  test("at a delete is answered 503 without another try, which could only say 404: it is done or not §7.6.2 §7.6.4", async () => {
    const message = TRANSIENT[0] ?? "";
    const paths = [
      (await createPet(pet)).path,
      (await placeOrder()).path,
      (await createUser()).path,
    ] as const;
    const sold = await countSold();
    for (const path of paths) {
      for (const [when, status] of [
        ["before", 200],
        ["after", 404],
      ] as const) {
        const d1 = new Calls(() => ({ when, message }));
        expectUnavailable(await sendThrough(d1, { method: "DELETE", path }));
        expect(d1.count).toBe(1);
        expect((await send("GET", path)).status).toBe(status);
      }
    }
    expect(await countSold()).toBe(sold - 1);
  });
});

describe("a permanent fault of D1", () => {
  for (const { operation, request } of [...READS, ...REPEATABLE, ...OTHERS]) {
    test(`is answered 503 at once: ${operation} §7.6.1 §V16.5`, async () => {
      for (const message of PERMANENT) {
        const sent = await request();
        const d1 = firstCalls(1, { when: "before", message });
        expectUnavailable(await sendThrough(d1, sent));
        expect(d1.count).toBe(1);
      }
    });
  }

  test("in the middle of a batch leaves nothing of it §7.6.2 §V2.3 §V16.5", async () => {
    const before = await countOf("pets");
    await database.exec(
      "create trigger fail_here before insert on pet_tags when new.tag = 'forbidden' begin select raise(abort, 'full'); end",
    );
    const answer = await send("POST", "/pet", { json: { ...pet, tags: ["allowed", "forbidden"] } });
    await database.exec("drop trigger fail_here");

    expectUnavailable(answer);
    expect(await countOf("pets")).toBe(before);
    const tagged = await send("GET", "/pet/findByTags?tags=allowed,forbidden");
    expect(tagged.json).toEqual([]);
  });
});

describe("a fault of KV", () => {
  test.each(["before", "after"] as const)(
    "that passes does not show, neither at login nor at logout: %s the call was done §7.6.3",
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

  for (const when of ["before", "after"] as const) {
    test(`at login is answered 503, without a session: ${when} it was stored §7.6.1`, async () => {
      const username = await storedUser();
      const kv = new Calls(() => ({ when, message: "KV PUT failed: 500 Internal Server Error" }));
      const client = clientWith({ SESSIONS: kvThrough(kv) });

      const answer = await client("GET", `/user/login?username=${username}&password=secret`);

      expectUnavailable(answer);
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect(answer.headers.get("x-expires-after")).toBeNull();
    });
  }

  test("at logout is answered 503, and the session's cookie is kept for another try §7.6.1", async () => {
    const username = await storedUser();
    const login = await send("GET", `/user/login?username=${username}&password=secret`);
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    const kv = new Calls(() => ({ when: "before", message: "KV DELETE failed: 503" }));
    const client = clientWith({ SESSIONS: kvThrough(kv) });

    const answer = await client("GET", "/user/logout", { headers: { Cookie: cookie } });

    expectUnavailable(answer);
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect((await send("GET", "/user/logout", { headers: { Cookie: cookie } })).status).toBe(200);
  });

  test("touches no operation that needs none", async () => {
    const kv = new Calls(() => ({ when: "before", message: "KV is down" }));
    const client = clientWith({ SESSIONS: kvThrough(kv) });
    const withoutKV = READS.filter(({ operation }) => operation !== "loginUser");
    for (const { request } of [...withoutKV, ...REPEATABLE, ...OTHERS]) {
      expect((await exchange(client, await request())).status).toBe(200);
    }
    expect(kv.count).toBe(0);
  });
});

const brokenLimiter: RateLimit = {
  limit: async () => {
    throw new Error("internal error; reference = abc");
  },
};

describe("a fault of the limiter of requests", () => {
  const uncounted = {
    error: "Unavailable",
    message: "a binding failed",
    cause: "internal error; reference = abc",
  };

  test("lets the request in, and is in its one line of the log §6.7.8", async () => {
    const lines = captureFaults();
    const answer = await clientWith({ REQUESTS: brokenLimiter })("GET", "/store/inventory");
    expect(answer.status).toBe(200);
    const id = answer.headers.get("x-request-id");
    expect(lines()).toEqual([expect.objectContaining({ requestId: id, status: 200, uncounted })]);
  });

  test("comes once per request: the limiter is not asked again §6.7.8", async () => {
    captureFaults();
    const calls = new Calls(() => ({ when: "before", message: "internal error" }));
    const REQUESTS: RateLimit = {
      limit: async (options) => calls.pass(async () => env.REQUESTS.limit(options), "REQUESTS"),
    };
    expect((await clientWith({ REQUESTS })("GET", "/store/inventory")).status).toBe(200);
    expect(calls.count).toBe(1);
  });

  test("delays a request by half a second at most, where the limiter does not answer §6.7.8", async () => {
    captureFaults();
    const REQUESTS: RateLimit = { limit: async () => new Promise(() => undefined) };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answering = clientWith({ REQUESTS })("GET", "/store/inventory");
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    await vi.advanceTimersByTimeAsync(500);
    vi.useRealTimers();
    expect((await answering).status).toBe(200);
  });

  test("hides no other fault of the request from the log §6.7.8", async () => {
    const lines = captureFaults();
    const d1 = new Calls(() => ({ when: "before", message: PERMANENT[0] ?? "" }));
    const client = clientWith({ REQUESTS: brokenLimiter, ...databaseThrough(d1) });
    expectUnavailable(await client("GET", "/store/inventory"));
    const fault = {
      status: 503,
      message: "D1 failed",
      cause: PERMANENT[0],
    };
    expect(lines()).toEqual([expect.objectContaining({ ...fault, uncounted })]);
  });

  test("opens nothing: a request without a credential is still refused §6.7.8", async () => {
    captureFaults();
    const client = clientWith({ REQUESTS: brokenLimiter, ACCESS: "protected" });
    expect((await client("POST", "/pet", { json: pet })).status).toBe(401);
  });

  test("lets a session's request in as well §6.7.8", async () => {
    const lines = captureFaults();
    const username = await storedUser();
    const login = await send("GET", `/user/login?username=${username}&password=secret`);
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    // Only the second count, the session's, fails.
    const calls = new Calls((call) =>
      call === 0 ? undefined : { when: "before", message: "internal error; reference = abc" },
    );
    const REQUESTS: RateLimit = {
      limit: async (options) => calls.pass(async () => env.REQUESTS.limit(options), "REQUESTS"),
    };
    const client = clientWith({ REQUESTS, ACCESS: "protected" });
    const answer = await client("GET", `/user/${username}`, { headers: { Cookie: cookie } });
    expect(answer.status).toBe(200);
    expect(lines()).toEqual([expect.objectContaining({ status: 200, uncounted })]);
  });
});

describe("a fault of the limiter of logins", () => {
  test("refuses the login with 503, before the password is looked at §6.7.9", async () => {
    const username = await storedUser();
    const d1 = new Calls();
    const client = clientWith({ LOGINS: brokenLimiter, ...databaseThrough(d1) });
    for (const password of ["secret", "wrong"]) {
      const answer = await client("GET", `/user/login?username=${username}&password=${password}`);
      expectUnavailable(answer);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(d1.count).toBe(0);
  });

  test("refuses a sign-up that would tell whether a password is right §6.7.9", async () => {
    const username = await storedUser();
    const client = clientWith({ LOGINS: brokenLimiter });
    const json = { username, password: "secret" };
    const answer = await client("POST", "/user", { json });
    expect(answer.status).toBe(503);
    expectUnavailable(answer);
  });
});

test("the log of a fault holds no password and no parameter of the statement §2.9.3 §V16.3", async () => {
  const faults = captureFaults();
  const json = { username: uniqueName("fault"), password: "the secret itself" };
  const d1 = new Calls(() => ({ when: "before", message: PERMANENT[0] ?? "" }));

  expectUnavailable(await sendThrough(d1, { method: "POST", path: "/user", json }));

  expect(faults()).toHaveLength(1);
  const lines = JSON.stringify(faults());
  expect(lines).not.toContain(json.username);
  expect(lines).not.toContain(json.password);
});

test("a D1 that does not answer is given up, and answered 503 §7.6.5 §API4", async () => {
  const silent = new Calls(() => ({ when: "never", done: false }));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answering = clientWith(databaseThrough(silent))("GET", "/pet/1");
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  await vi.advanceTimersByTimeAsync(10_000);
  expectUnavailable(await answering);
});
