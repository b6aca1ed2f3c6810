// Faults on the way to the object of a sandbox.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UNAVAILABLE, expectUnavailable, logIn, outcome, success, withKey } from "../fixtures.ts";
import { PNG, imageForm } from "../images.ts";
import { CountingLimit } from "../limiters.ts";
import { Calls, objectsThrough } from "../bindings.ts";
import type { Fault } from "../bindings.ts";
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

test.each(["before", "after"] as const)(
  "a write with an idempotency key is tried again and done once: a fault %s the work §10.8",
  async (when) => {
    const { name, manage } = newStore();
    const twice = faulty(name, (call) =>
      call < 2 ? { when, message: "Network connection lost." } : undefined,
    );
    const json = JSON.stringify(PET);
    const headers = { "Content-Type": "application/json", "Content-Length": String(json.length) };
    const answer = await twice.send("POST", "/pet", withKey("key", { body: json, headers }));
    expect(outcome(answer)).toEqual(success({ id: 1, ...PET }));
    expect(twice.calls.count).toBe(3);
    expect((await manage("GET", "")).json).toMatchObject({ pets: 1 });
  },
);

test("a write with an empty idempotency key is sent once §10.8", async () => {
  const { name, manage, send } = newStore();
  await send("GET", "/store/inventory");
  const lost = faulty(name, () => ({ when: "after", message: "Network connection lost." }));
  const json = JSON.stringify(PET);
  const headers = { "Content-Type": "application/json", "Content-Length": String(json.length) };
  const answer = await lost.send("POST", "/pet", withKey("", { body: json, headers }));
  expect([outcome(answer), lost.calls.count]).toEqual([UNAVAILABLE, 1]);
  expect((await manage("GET", "")).json).toMatchObject({ pets: 1 });
});

test("a method that has no idempotency keys is sent once in spite of one §10.8", async () => {
  const { name, send } = newStore();
  await send("POST", "/pet", { json: PET });
  const lost = faulty(name, () => ({ when: "after", message: "Network connection lost." }));
  const answer = await lost.send("DELETE", "/pet/1", withKey("key", {}));
  expect([outcome(answer), lost.calls.count]).toEqual([UNAVAILABLE, 1]);
});

test("a body of more than 256 KiB is sent once, even with an idempotency key §10.8", async () => {
  const { name, send } = newStore();
  await send("POST", "/pet", { json: PET });
  const fault = { when: "before", message: "Network connection lost." } as const;
  const lost = faulty(name, (call) => (call === 0 ? fault : undefined));
  for (const [bytes, calls] of [
    [200 * 1024, 2],
    [300 * 1024, 1],
  ] as const) {
    const image = new Uint8Array(bytes);
    image.set(PNG);
    const once = calls === 2 ? lost : faulty(name, () => fault);
    const form = new Response(imageForm(new File([image], "rex.png")));
    const body = await form.arrayBuffer();
    const headers = {
      "Content-Type": form.headers.get("Content-Type") ?? "",
      "Content-Length": String(body.byteLength),
      "Idempotency-Key": String(bytes),
    };
    const { status } = await once.send("POST", "/pet/1/uploadImage", { body, headers });
    expect([status, once.calls.count]).toEqual([calls === 2 ? 200 : 503, calls]);
  }
});

test("a body that is cut off reaches no object", async () => {
  const { name, send } = newStore();
  await send("POST", "/pet", { json: PET });
  const unused = faulty(name, () => undefined);
  const body = new ReadableStream({
    start: (controller) => controller.error(new Error("the client has gone")),
  });
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": "9" };
  expect((await unused.send("POST", "/pet/1", { body, headers })).status).toBe(400);
  expect(unused.calls.count).toBe(0);
});

test("a request is sent five times at most §10.8", async () => {
  const lasting = faulty(crypto.randomUUID(), () => ({
    when: "before",
    message: "Network connection lost.",
  }));
  expectUnavailable(await lasting.send("GET", "/pet/1"));
  expect(lasting.calls.count).toBe(5);
});

test.each([
  ["GET", "", {}, 5],
  ["GET", "/data", {}, 5],
  ["GET", "/faults", {}, 5],
  ["GET", "/requests", {}, 5],
  ["PUT", "/data", { json: { data: "classic" } }, 1],
  ["PUT", "/faults", { json: [] }, 1],
  ["DELETE", "/faults", {}, 1],
  ["DELETE", "", {}, 1],
] as const)("%s of …%s meets the same rules §10.8", async (method, path, sent, calls) => {
  const lasting = faulty(crypto.randomUUID(), () => ({
    when: "before",
    message: "Network connection lost.",
  }));
  expectUnavailable(await lasting.manage(method, path, sent));
  expect(lasting.calls.count).toBe(calls);
});

describe("a store that its first request makes", () => {
  test("is made in one call, as every request is answered, and counted once", async () => {
    const NEW_STORES = new CountingLimit();
    const calls = new Calls();
    const { send } = newStore({ STORES: objectsThrough(calls), NEW_STORES });
    for (const made of [1, 2]) {
      expect((await send("POST", "/pet", { json: PET })).json).toMatchObject({ id: made });
      expect(calls.count).toBe(made);
    }
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
