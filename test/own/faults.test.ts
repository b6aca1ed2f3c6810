// Faults that only objects have. test/faults.test.ts has those that D1 has as well.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UNAVAILABLE, logIn, outcome, success } from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { Calls, objectsThrough } from "../stores.ts";
import type { Fault } from "../stores.ts";
import { PET, newStore } from "./store.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A store whose calls meet a fault, and the calls. */
function faulty(name: string, faultOf: (call: number) => Fault | undefined) {
  const calls = new Calls(faultOf);
  return { calls, ...newStore({ STORES: objectsThrough(calls) }, {}, name) };
}

/** A fault of an object as the runtime throws it. */
const FAULTS = [
  { message: "Network connection lost.", retried: true },
  { message: "Durable Object reset because its code was updated.", retried: true },
  { message: "Internal error in Durable Object storage caused object to be reset.", retried: true },
  { message: "Durable Object is overloaded. Requests queued for too long.", retried: false },
  { message: "Network connection lost, overloaded.", retried: false },
  { message: "Durable Object exceeded its CPU time limit and was reset.", retried: false },
  { message: "internal error; reference = 0123456789abcdef", retried: false },
];

describe.each(FAULTS)("the fault $message", ({ message, retried }) => {
  test.each(["before", "after"] as const)(
    `of a read is ${retried ? "not seen" : "503 at once"}: %s the work`,
    async (when) => {
      const { name, send } = newStore();
      await send("POST", "/pet", { json: PET });
      const once = faulty(name, (call) => (call === 0 ? { when, message } : undefined));
      const answer = await once.send("GET", "/pet/1");
      expect(outcome(answer)).toEqual(retried ? success({ id: 1, ...PET }) : UNAVAILABLE);
      expect(once.calls.count).toBe(retried ? 2 : 1);
    },
  );

  test.each(["before", "after"] as const)(
    "of a write that may not be done twice is 503 at once: %s the work §10.8",
    async (when) => {
      const { name, send, manage } = newStore();
      await send("GET", "/store/inventory");
      const once = faulty(name, (call) => (call === 0 ? { when, message } : undefined));
      const answer = await once.send("POST", "/pet", { json: PET });
      expect(outcome(answer)).toEqual(UNAVAILABLE);
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(once.calls.count).toBe(1);
      expect((await manage("GET", "")).json).toMatchObject({ pets: when === "after" ? 1 : 0 });
    },
  );
});

describe("a store that its first request makes", () => {
  test("may fail as it is made: what may not be done twice is not §10.8", async () => {
    const lost = faulty(crypto.randomUUID(), (call) =>
      call === 1 ? { when: "after", message: "Network connection lost." } : undefined,
    );
    expect(outcome(await lost.send("POST", "/pet", { json: PET }))).toEqual(UNAVAILABLE);
    expect((await newStore({}, {}, lost.name).manage("GET", "")).json).toMatchObject({ pets: 1 });
  });

  test("is made in two calls, and counted once", async () => {
    const NEW_STORES = new CountingLimit();
    const calls = new Calls();
    const { send } = newStore({ STORES: objectsThrough(calls), NEW_STORES });
    expect((await send("POST", "/pet", { json: PET })).status).toBe(200);
    expect(calls.count).toBe(2);
    expect((await send("POST", "/pet", { json: PET })).status).toBe(200);
    expect(calls.count).toBe(3);
    expect(NEW_STORES.keys).toHaveLength(1);
  });

  test("is not made where the limiter of new stores fails", async () => {
    const NEW_STORES: RateLimit = {
      limit: async () => {
        throw new Error("internal error");
      },
    };
    const { name, send } = newStore({ NEW_STORES });
    expect(outcome(await send("GET", "/pet/1"))).toEqual(UNAVAILABLE);
    expect((await newStore({}, {}, name).manage("GET", "")).status).toBe(404);
  });

  test("is made once by many first requests at once §10.1.3", async () => {
    const { send, manage } = newStore();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => send("POST", "/pet", { json: PET })),
    );
    expect(
      answers.map(({ json }) => (json as { id: number }).id).toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect((await manage("GET", "")).json).toMatchObject({ pets: 20 });
  });
});

test("a management request meets the same rules §10.8", async () => {
  const { name, manage } = newStore();
  const json = { data: "classic" };
  await manage("PUT", "/data", { json });
  for (const [method, path, sent, status] of [
    ["GET", "", {}, 200],
    ["GET", "/data", {}, 200],
    ["PUT", "/data", { json }, 204],
    ["GET", "/faults", {}, 200],
    ["PUT", "/faults", { json: [] }, 204],
    ["GET", "/requests", {}, 200],
  ] as const) {
    const passing = faulty(name, (call) =>
      call === 0 ? { when: "after", message: "Network connection lost." } : undefined,
    );
    expect((await passing.manage(method, path, sent)).status).toBe(status);
    const lasting = faulty(name, () => ({ when: "before", message: "Network connection lost." }));
    expect(outcome(await lasting.manage(method, path, sent))).toEqual(UNAVAILABLE);
    expect(lasting.calls.count).toBe(5);
  }
});

test("a store that ends though the answer is lost is deleted, not missing §10.3.3", async () => {
  const lost = faulty(crypto.randomUUID(), (call) =>
    call === 1 ? { when: "after", message: "Network connection lost." } : undefined,
  );
  await newStore({}, {}, lost.name).send("GET", "/store/inventory");
  expect((await lost.manage("GET", "")).status).toBe(200);
  expect((await lost.manage("DELETE", "")).status).toBe(204);
  expect((await lost.manage("DELETE", "")).status).toBe(404);
});

test("the log of a store that fails fails no request", async () => {
  const failing = new Proxy(env.STORES, {
    get: (objects, name) => {
      if (name !== "getByName") return (Reflect.get(objects, name) as () => void).bind(objects);
      return (of: string) => ({
        run: async (...values: [never, never]) => objects.getByName(of).run(...values),
        record: async () => {
          throw new Error("down");
        },
      });
    },
  });
  const { send } = newStore({ STORES: failing });
  expect((await send("GET", "/store/inventory")).status).toBe(200);
});

test("logins in a store use up no attempts of another, nor of the shared one §10.2.3", async () => {
  const [LOGINS, LOGINS_PER_USER] = [new CountingLimit(), new CountingLimit()];
  const headers = { "CF-Connecting-IP": "192.0.2.1" };
  const bindings = { LOGINS, LOGINS_PER_USER };
  const path = "/user/login?username=ann&password=wrong";
  for (const { send } of [newStore(bindings), newStore(bindings)]) {
    for (let attempt = 0; attempt < 2; attempt++) await send("GET", path, { headers });
  }
  await logIn("ann", "wrong", newStore(bindings, {}).send);
  for (const { keys } of [LOGINS, LOGINS_PER_USER]) {
    expect(keys).toHaveLength(5);
    expect(new Set(keys).size).toBe(3);
    expect(keys).not.toContain("ann");
    expect(keys).not.toContain("ann 192.0.2.1");
  }
});
