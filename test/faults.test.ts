import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PETSTORE3_PATH } from "../src/http/base-path.ts";
import { time } from "../src/platform/failures.ts";
import { send } from "./client.ts";
import type { Answer } from "./client.ts";
import {
  UNAVAILABLE,
  captureFaults,
  clientWith,
  countOf,
  createSession,
  createUser,
  done,
  expectUnavailable,
  logIn,
  outcome,
  uniqueId,
  uniqueName,
} from "./fixtures.ts";
import { exchange, prepare, underCondition, withChosenId } from "./operations.ts";
import type { Exchange, Special } from "./operations.ts";
import { Calls, allThrough, d1Through, kvThrough } from "./bindings.ts";
import type { Fault } from "./bindings.ts";
import { D1_PERMANENT, D1_TRANSIENT } from "./faults/catalogue.ts";

interface Faulty extends Pick<Special, "but"> {
  /** The operation's id, and what is special about the request. */
  readonly operation: string;
  /** Whether the service itself may send it again. */
  readonly repeatable: boolean;
  /** How many rows it adds to a table. */
  readonly adds?: readonly [table: "pets" | "orders" | "users", count: number];
}

const read = (operation: string): Faulty => ({ operation, repeatable: true });
const repeatable = (operation: string, ...adds: NonNullable<Faulty["adds"]>): Faulty => ({
  operation,
  repeatable: true,
  adds,
});
const once = (operation: string, ...adds: NonNullable<Faulty["adds"]>): Faulty => ({
  operation,
  repeatable: false,
  adds,
});

const OF_BOTH: readonly Faulty[] = [
  ...["getPetById", "findPetsByTags", "getInventory"].map(read),
  // One page, because many pets are sold.
  { ...read("findPetsByStatus"), but: () => ({ path: "/pet/findByStatus?status=sold&limit=9" }) },
  ...["getOrderById", "getUserByName", "loginUser"].map(read),
  { ...repeatable("addPet with a chosen id", "pets", 1), but: withChosenId },
  repeatable("updatePet", "pets", 0),
  { ...repeatable("placeOrder with a chosen id", "orders", 1), but: withChosenId },
  repeatable("createUser with a username", "users", 1),
  {
    ...repeatable("createUser with a chosen id", "users", 1),
    but: () => ({ json: { id: uniqueId(), password: "secret" } }),
  },
  repeatable("updateUser", "users", 0),
  once("addPet without an id", "pets", 1),
  once("placeOrder without an id", "orders", 1),
  { ...once("createUser without id and username", "users", 1), but: () => ({ json: {} }) },
  { ...once("updatePet under a condition", "pets", 0), but: underCondition },
  {
    ...once("updateUser with another name", "users", 0),
    but: () => ({ json: { username: uniqueName("renamed") } }),
  },
  // A retry could only answer 404.
  once("deletePet", "pets", -1),
  once("deleteOrder", "orders", -1),
  once("deleteUser", "users", -1),
];

const FAULTY: readonly Faulty[] = [
  ...OF_BOTH,
  ...OF_BOTH.map((faulty) => ({ ...faulty, operation: `${PETSTORE3_PATH}#${faulty.operation}` })),
];

/** Three operations meet every message, the others a few. In test/faults, all operations meet all of them. */
const THOROUGH = new Set(["getPetById", "addPet with a chosen id", "addPet without an id"]);
const some = <Of>({ operation }: Faulty, faults: readonly Of[]) =>
  THOROUGH.has(operation) ? faults : faults.slice(0, 2);

const requestOf = async ({ operation, but }: Faulty): Promise<Exchange> =>
  (await prepare(operation.split(" ")[0] ?? "", but && { but })).request;

/** Sends a request to the service with a D1 that meets these faults. */
const sendThrough = async (d1: Calls, request: Exchange): Promise<Answer> =>
  exchange(clientWith({ DB: d1Through(d1) }), request);

const firstCalls = (count: number, fault: Fault) =>
  new Calls((call) => (call < count ? fault : undefined));

/** How many rows there are, where a request writes. */
const countFor = async ({ adds }: Faulty) => (adds ? countOf(adds[0]) : 0);

/** What is the same in the answers to a request and its repeat. */
const essenceOf = ({ status, text, headers }: Answer, { method }: Exchange) => ({
  status,
  text: text.replace(/session:.*"/, ""),
  // A replacement makes another version.
  etag: method === "PUT" ? null : headers.get("etag"),
});

// test/http/log.test.ts tests the log of faults.
beforeEach(() => {
  captureFaults();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const LOST = D1_TRANSIENT.flatMap((message) =>
  (["before", "after"] as const).map((when) => ({ when, message })),
);

const of = (isRepeatable: boolean) =>
  FAULTY.filter(({ repeatable: is }) => is === isRepeatable).flatMap((faulty) =>
    some(faulty, LOST).map((fault) => ({ ...fault, faulty, operation: faulty.operation })),
  );

describe("a fault of D1 that passes", () => {
  test.each(of(true))(
    "does not show at $operation: $when the call was done, $message §7.6.2 §7.6.3",
    async ({ faulty, ...fault }) => {
      const sent = await requestOf(faulty);
      const before = await countFor(faulty);
      const d1 = firstCalls(1, fault);
      const answer = await sendThrough(d1, sent);
      expect([answer.status, d1.count]).toEqual([200, 2]);
      const added = faulty.adds?.[1] ?? 0;
      expect(await countFor(faulty)).toBe(before + added);
      // The same request again gets the same answer, so everything was stored as sent, the password too.
      const again = await exchange(send, sent);
      expect(essenceOf(again, sent)).toEqual(essenceOf(answer, sent));
      expect(await countFor(faulty)).toBe(before + added);
    },
  );

  test.each(of(false))(
    "is 503 at $operation, which must not write twice: $when the call was done, $message §7.6.2 §7.6.4",
    async ({ faulty, ...fault }) => {
      const sent = await requestOf(faulty);
      const before = await countFor(faulty);
      const d1 = firstCalls(1, fault);
      expectUnavailable(await sendThrough(d1, sent));
      expect(d1.count).toBe(1);
      const added = fault.when === "after" ? faulty.adds?.[1] : 0;
      expect(await countFor(faulty)).toBe(before + (added ?? 0));
    },
  );
});

describe.each(FAULTY)("a fault of D1 at $operation", (faulty) => {
  test("that is transient is tried five times at most, then answered 503 §7.6.1 §7.6.3 §API10", async () => {
    const fault = { when: "before", message: D1_TRANSIENT[0] ?? "" } as const;
    const tries = faulty.repeatable ? 5 : 1;
    const passing = firstCalls(tries - 1, fault);
    expect((await sendThrough(passing, await requestOf(faulty))).status).toBe(200);
    expect(passing.count).toBe(tries);

    const lasting = firstCalls(Infinity, fault);
    expectUnavailable(await sendThrough(lasting, await requestOf(faulty)));
    expect(lasting.count).toBe(tries);
  });

  test.each(some(faulty, D1_PERMANENT))(
    "that is permanent is answered 503 at once: %s §7.6.1 §V16.5",
    async (message) => {
      const d1 = firstCalls(1, { when: "before", message });
      expectUnavailable(await sendThrough(d1, await requestOf(faulty)));
      expect(d1.count).toBe(1);
    },
  );
});

test("a fault in the middle of a batch leaves nothing of it §7.6.2 §V2.3 §V16.5", async () => {
  const before = await countOf("pets");
  await env.DB.exec(
    "create trigger fail_here before insert on pet_tags when new.tag = 'forbidden' begin select raise(abort, 'full'); end",
  );
  const answer = await send("POST", "/pet", { json: { ...pet, tags: ["allowed", "forbidden"] } });
  await env.DB.exec("drop trigger fail_here");

  expectUnavailable(answer);
  expect(await countOf("pets")).toBe(before);
  const tagged = await send("GET", "/pet/findByTags?tags=allowed,forbidden");
  expect(tagged.json).toEqual([]);
});

const pet = { name: "Rex", photoUrls: "rex.png", tags: ["dog"], status: "sold" };

const clientAt = (kv: Calls) => clientWith({ SESSIONS: kvThrough(kv) });
const countSessions = async () => (await env.SESSIONS.list()).keys.length;

describe.each(["before", "after"] as const)("a fault of KV, %s the call was done,", (when) => {
  const fault = { when, message: "KV failed: 500 Internal Server Error" };

  test("that passes does not show, neither at login nor at logout §7.6.3", async () => {
    const { username, headers } = await createSession();
    const before = await countSessions();
    const atLogin = firstCalls(4, fault);
    const login = await logIn(username, "secret", clientAt(atLogin));
    expect([login.status, atLogin.count, await countSessions()]).toEqual([200, 5, before + 1]);

    const atLogout = firstCalls(4, fault);
    const logout = await clientAt(atLogout)("GET", "/user/logout", { headers });
    expect([logout.status, atLogout.count, await countSessions()]).toEqual([200, 5, before]);
  });

  test("at login is answered 503, without a session §7.6.1", async () => {
    const { username } = await createSession();
    const answer = await logIn(username, "secret", clientAt(firstCalls(Infinity, fault)));
    expectUnavailable(answer);
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.headers.get("x-expires-after")).toBeNull();
  });

  test("that lasts does not fail a logout: only the log has it, and that of the last try §6.3.3", async () => {
    const lines = captureFaults();
    const { headers } = await createSession();
    const before = await countSessions();
    const lasting = firstCalls(Infinity, fault);
    const answer = await clientAt(lasting)("GET", "/user/logout", { headers });
    expect(outcome(answer)).toEqual(done("ok"));
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
    const logged = { status: 200, message: "a binding failed", cause: fault.message };
    // Five attempts before the answer, and as many afterwards.
    await expect.poll(() => lasting.count).toBe(10);
    const requestId = answer.headers.get("x-request-id");
    const { status: _, ...loggedLater } = { ...logged, requestId };
    await expect
      .poll(lines)
      .toEqual([expect.objectContaining(logged), expect.objectContaining(loggedLater)]);
    expect(await countSessions()).toBe(when === "before" ? before : before - 1);
  });
});

test("a session ends after the answer of a logout in its first second, as KV takes one write a second for a key §6.3.3", async () => {
  const { headers } = await createSession();
  const before = await countSessions();
  const began = time.now();
  const message = "KV DELETE failed: 429 Too Many Requests";
  const kv = new Calls(() => (time.now() - began < 1000 ? { when: "before", message } : undefined));
  const answer = await clientAt(kv)("GET", "/user/logout", { headers });
  expect(outcome(answer)).toEqual(done("ok"));
  await expect.poll(countSessions).toBe(before - 1);
  expect(kv.count).toBe(6);
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
    const calls = new Calls(() => ({ when: "before", message: "internal error" }));
    const { REQUESTS } = allThrough(calls).bindings;
    expect((await clientWith({ REQUESTS })("GET", "/store/inventory")).status).toBe(200);
    expect(calls.count).toBe(1);
  });

  test("delays a request by half a second at most, where the limiter does not answer §6.7.8", async () => {
    const REQUESTS: RateLimit = { limit: async () => new Promise(() => undefined) };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answering = clientWith({ REQUESTS })("GET", "/store/inventory");
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(500);
    vi.useRealTimers();
    expect((await answering).status).toBe(200);
  });

  test("hides no other fault of the request from the log §6.7.8", async () => {
    const lines = captureFaults();
    const d1 = new Calls(() => ({ when: "before", message: D1_PERMANENT[0] ?? "" }));
    const client = clientWith({ REQUESTS: brokenLimiter, DB: d1Through(d1) });
    expectUnavailable(await client("GET", "/store/inventory"));
    const fault = { status: 503, message: "D1 failed", cause: D1_PERMANENT[0] };
    expect(lines()).toEqual([expect.objectContaining({ ...fault, uncounted })]);
  });

  test("opens nothing: a request without a credential is still refused §6.7.8", async () => {
    const client = clientWith({ REQUESTS: brokenLimiter, ACCESS: "protected" });
    expect((await client("POST", "/pet", { json: pet })).status).toBe(401);
  });

  test("lets a session's request in as well §6.7.8", async () => {
    const lines = captureFaults();
    const { username, headers } = await createSession();
    // Only the second count, the session's, fails.
    const calls = new Calls((call) =>
      call === 0 ? undefined : { when: "before", message: "internal error; reference = abc" },
    );
    const { REQUESTS } = allThrough(calls).bindings;
    const client = clientWith({ REQUESTS, ACCESS: "protected" });
    const answer = await client("GET", `/user/${username}`, { headers });
    expect(answer.status).toBe(200);
    expect(lines()).toEqual([expect.objectContaining({ status: 200, uncounted })]);
  });
});

describe("a fault of the limiter of logins", () => {
  test("refuses the login with 503, before the password is looked at §6.7.9", async () => {
    const { username = "" } = (await createUser({ password: "secret" })).shown;
    const d1 = new Calls();
    const client = clientWith({ LOGINS: brokenLimiter, DB: d1Through(d1) });
    for (const password of ["secret", "wrong"]) {
      const answer = await client("GET", `/user/login?username=${username}&password=${password}`);
      expectUnavailable(answer);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(d1.count).toBe(0);
  });

  test("refuses a sign-up that would tell whether a password is right §6.7.9", async () => {
    const { username = "" } = (await createUser({ password: "secret" })).shown;
    const client = clientWith({ LOGINS: brokenLimiter });
    const json = { username, password: "secret" };
    const answer = await client("POST", "/user", { json });
    expect(outcome(answer)).toEqual(UNAVAILABLE);
  });
});

test("a D1 that does not answer is given up, and answered 503 §7.6.5 §API4", async () => {
  const silent = new Calls(() => ({ when: "never", done: false }));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answering = clientWith({ DB: d1Through(silent) })("GET", "/pet/1");
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expectUnavailable(await answering);
});
