import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { time } from "../../src/platform/failures.ts";
import { send as sendShared } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import { UNAVAILABLE, logIn, outcome, refusal, tokenOf, withKey } from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { MISSING, exchange, operations, prepare } from "../operations.ts";
import { Calls, objectsThrough } from "../bindings.ts";
import {
  PET,
  classicStore,
  demand,
  imageOf,
  inTurn,
  localOf,
  newStore,
  repeat,
  sendOutside,
  shownOf,
} from "./store.ts";
import type { Own } from "./store.ts";

/** An error but for what differs between any two: its id, and the fields that are at fault. */
function likenessOf({ status, headers, json }: Answer): object {
  const { message } = json as { message: string };
  const named = [...headers].filter(([name]) => name !== "x-request-id");
  return { status, message, headers: Object.fromEntries(named) };
}

const rulesOf = async (store: Own) =>
  (await shownOf(store)).map((shown) =>
    Object.fromEntries(Object.entries(shown).filter(([member]) => member !== "met")),
  );

describe("a rule", () => {
  test("answers its status in the shape of all errors, before anything is done §10.6.1", async () => {
    const store = await classicStore();
    await demand(store, { status: 503, retryAfter: 7 });
    const answer = await store.send("DELETE", "/pet/1");
    expect(outcome(answer)).toEqual(UNAVAILABLE);
    expect(answer.headers.get("retry-after")).toBe("7");
    await demand(store);
    expect((await store.send("GET", "/pet/1")).status).toBe(200);
  });

  test("answers it after the request was done, where it says so §10.6.1", async () => {
    const store = await classicStore();
    await demand(store, { status: 500, after: true });
    expect(outcome(await store.send("DELETE", "/pet/1"))).toEqual(refusal(500, "Internal error"));
    expect((await store.send("GET", "/pet/2")).status).toBe(500);
    await demand(store);
    expect((await store.send("GET", "/pet/1")).status).toBe(404);
  });

  test.each([
    [418, "Fault on demand"],
    [500, "Internal error"],
    [507, "the store is full: it has at most 10 MB"],
    [599, "Fault on demand"],
  ])("with the status %i says %s", async (status, message) => {
    const store = newStore();
    await demand(store, { status });
    // Some of these statuses no document has.
    const { json } = await sendOutside()("GET", `/stores/${store.name}/v2/pet/1`);
    expect(json).toEqual({ code: status, type: "error", message });
  });

  test.each([
    ["GET", "/store/inventory", [429, 500, 503], [400, 404, 413, 415, 422]],
    ["DELETE", "/pet/1", [400, 404], [413, 415, 422]],
    ["POST", "/pet", [400, 413, 415, 422], [404, 418]],
    ["GET", "/nowhere", [404, 405], [400, 413, 415, 422]],
  ] as const)(
    "at %s %s says what the service says there with %j, and Fault on demand with %j §10.6.6",
    async (method, path, real, invented) => {
      const store = newStore();
      const said = new Map<number, string>();
      for (const status of [...real, ...invented]) {
        await demand(store, { status });
        const { json } = await sendOutside()(method, `/stores/${store.name}/v2${path}`);
        said.set(status, (json as { message: string }).message);
      }
      const named = [...said].filter(([, message]) => message !== "Fault on demand");
      expect(named.map(([status]) => status)).toEqual(real);
    },
  );

  test("looks like the answer that the service itself gives with its status §10.6.6", async () => {
    const store = await classicStore();
    const image = await imageOf(store);
    const local = localOf(store);
    const token = tokenOf(await logIn("user1", "XXXXXXXXXXX", local));
    // Some of the statuses on demand no document has.
    const at =
      (path: string, sent: Sent = {}, method = "GET") =>
      async () =>
        sendOutside()(method, `/stores/${store.name}/v2${path}`, sent);
    const at3 = (path: string, json: object) => async () =>
      sendOutside()("POST", `/stores/${store.name}/api/v3${path}`, { json });
    const pet = at("/pet/1");
    const adding = at("/pet", {}, "POST");
    const text = { body: "text", headers: { "Content-Type": "text/plain" } };
    const refusing = newStore({ NEW_STORES: new CountingLimit(0) }).send;
    const unset = newStore({ PASSWORD_KEY: "" }).send;
    const cases: readonly [number, real: () => Promise<Answer>, other: () => Promise<Answer>][] = [
      [400, at("/pet/abc"), pet],
      [
        401,
        async () => local("GET", "/user/user1"),
        async () => local("GET", "/user/user1", { headers: { Authorization: `Bearer ${token}` } }),
      ],
      [404, at("/pet/404"), pet],
      [404, at("/user/nobody"), at("/user/user1")],
      [405, at("/pet/1", {}, "PATCH"), pet],
      [405, at("/pet", { json: {} }, "POST"), adding],
      [412, at("/pet/1", { headers: { "If-Match": '"0"' } }), pet],
      [413, at("/pet", { json: "x".repeat(100_000) }, "POST"), adding],
      [415, at("/pet", text, "POST"), adding],
      [415, at("/pet/1", text, "POST"), at("/pet/1", {}, "POST")],
      [409, at3("/pet", { ...PET, id: 1 }), at3("/pet", PET)],
      [422, at3("/pet", {}), at3("/pet", PET)],
      [
        416,
        at(image, { headers: { Range: "bytes=5000-" } }),
        at(image, { headers: { Range: "bytes=0-1" } }),
      ],
      [429, async () => refusing("GET", "/pet/1"), pet],
      [503, async () => unset("GET", "/pet/1"), pet],
    ];
    for (const [status, real, other] of cases) {
      await demand(store);
      const expected = likenessOf(await real());
      expect(expected).toMatchObject({ status });
      await demand(store, { status });
      expect(likenessOf(await other())).toEqual(expected);
      expect(await rulesOf(store)).toEqual([{ status, used: 1 }]);
    }
    // An unknown path has no methods, and no 405 without a demand.
    await demand(store, { status: 405 });
    expect((await at("/nowhere")()).headers.get("allow")).toBe("OPTIONS");
  });

  test("is for an operation, a method or a path, also of the document §10.6.1", async () => {
    const store = await classicStore();
    const get = (path: string) => async () => store.send("GET", path);
    await demand(store, { operationId: "getPetById", status: 503 });
    expect(await inTurn(get("/pet/1"), get("/store/inventory"), get("/user/user1"))).toEqual([
      503, 200, 200,
    ]);
    expect((await store.send("HEAD", "/pet/1")).status).toBe(503);
    await demand(store, { method: "DELETE", status: 503 });
    expect(await inTurn(get("/pet/1"), async () => store.send("DELETE", "/store/order/1"))).toEqual(
      [200, 503],
    );
    await demand(store, { path: "/pet/1", status: 503 });
    expect(await inTurn(get("/pet/1"), get("/pet/1/"), get("/pet/1?a=b"), get("/pet/2"))).toEqual([
      503, 503, 503, 200,
    ]);
    await demand(store, { path: "/pet/{petId}", status: 503 });
    expect(
      await inTurn(get("/pet/1"), get("/pet/2"), get("/pet/findByStatus?status=sold")),
    ).toEqual([503, 503, 200]);
    await demand(store, { path: "/pet/{petId}", method: "DELETE", status: 503 });
    expect(await inTurn(get("/pet/1"))).toEqual([200]);
    // However it is spelled.
    await demand(
      store,
      { path: "/user/J%C3%B6rg", status: 503 },
      { path: "/user/Ann B", status: 500 },
    );
    expect(
      await inTurn(
        get("/user/J%C3%B6rg"),
        get("/user/Jörg"),
        get("/user/Ann%20B"),
        get("/user/Ann"),
      ),
    ).toEqual([503, 503, 500, 404]);
  });

  test("is for both interfaces, by operation and by path §10.6.1 §11.0", async () => {
    const store = await classicStore();
    const atBoth = (method: string, path: string, sent: Sent = {}) =>
      ["/v2", "/api/v3"].map((base) => async () => store.manage(method, base + path, sent));
    for (const rule of [
      { operationId: "getPetById" },
      { path: "/pet/1" },
      { path: "/pet/{petId}" },
    ]) {
      await demand(store, { ...rule, status: 503, times: 3 });
      expect(await inTurn(...atBoth("GET", "/pet/1"), ...atBoth("GET", "/pet/1/"))).toEqual([
        503, 503, 503, 200,
      ]);
      expect(await shownOf(store)).toMatchObject([{ used: 3, left: 0 }]);
    }
    await demand(store, { operationId: "createUsersWithArrayInput", status: 503 });
    const created = { json: [] };
    expect(await inTurn(...atBoth("POST", "/user/createWithArray", created))).toEqual([503, 405]);
  });

  test("is used so many times, and every so often §10.6.1", async () => {
    const store = await classicStore();
    const read = async () => store.send("GET", "/pet/1");
    await demand(store, { status: 503, times: 2 });
    expect(await repeat(6, read)).toEqual([503, 503, 200, 200, 200, 200]);
    await demand(store, { status: 503, every: 3 });
    expect(await repeat(6, read)).toEqual([200, 200, 503, 200, 200, 503]);
    await demand(store, { status: 503, every: 2, times: 1 });
    expect(await repeat(6, read)).toEqual([200, 503, 200, 200, 200, 200]);
  });

  test("yields to the first that applies, and only that is used §10.6.2 §10.6.5", async () => {
    const store = await classicStore();
    const read = async () => store.send("GET", "/pet/1");
    const rules = [
      { operationId: "deletePet", status: 500 },
      { operationId: "getPetById", times: 1, status: 503 },
      { method: "GET", times: 1, status: 503, retryAfter: 0 },
      { method: "GET", times: 5, delayMs: 1 },
    ];
    await demand(store, ...rules);
    expect(await rulesOf(store)).toEqual([
      { ...rules[0], used: 0 },
      { ...rules[1], used: 0, left: 1 },
      { ...rules[2], used: 0, left: 1 },
      { ...rules[3], used: 0, left: 5 },
    ]);
    expect(await inTurn(read, read, read)).toEqual([503, 503, 200]);
    expect(await rulesOf(store)).toEqual([
      { ...rules[0], used: 0 },
      { ...rules[1], used: 1, left: 0 },
      { ...rules[2], used: 1, left: 0 },
      { ...rules[3], used: 1, left: 4 },
    ]);
    expect((await store.manage("DELETE", "/faults")).status).toBe(204);
    expect(await rulesOf(store)).toEqual([]);
  });

  test("is for no preflight §10.6.3", async () => {
    const store = newStore();
    await demand(store, { status: 503 });
    expect((await store.send("OPTIONS", "/pet")).status).toBe(204);
  });

  test.each<[string, string, Sent]>([
    ["POST", "/pet", withKey("key", { json: PET })],
    ["PUT", "/user/user1", { json: { username: "user2" } }],
    ["POST", "/pet", { json: { ...PET, id: 1 } }],
  ])(
    "is applied whenever it is used, though %s %s is refused or repeated §10.6.2",
    async (...request) => {
      const store = await classicStore();
      await store.send(...request);
      const waited = vi.spyOn(time, "wait");
      await demand(store, { status: 503, after: true, delayMs: 20_000, times: 2 });
      const send = async () => store.send(...request);
      const [first, second, third] = await inTurn(send, send, send);
      expect([first, second]).toEqual([503, 503]);
      expect(third).not.toBe(503);
      expect(waited.mock.calls.filter(([ms]) => ms === 20_000)).toHaveLength(2);
      vi.restoreAllMocks();
    },
  );

  test("is applied after an answer that breaks off §10.6.2", async () => {
    const store = await classicStore();
    const image = await imageOf(store);
    await demand(store, { status: 503, after: true });
    const body = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
    const found = { body, httpEtag: '"1"', etag: "1", size: 1 };
    const IMAGES = { get: async () => found } as unknown as R2Bucket;
    expect((await newStore({ IMAGES }, {}, store.name).send("GET", image)).status).toBe(503);
  });

  test("before a login uses up no attempt §10.6.2", async () => {
    const LOGINS = new CountingLimit();
    const store = newStore({ LOGINS });
    await demand(store, { operationId: "loginUser", status: 503 });
    expect((await logIn("ann", "secret", store.send)).status).toBe(503);
    expect(LOGINS.keys).toEqual([]);
  });

  test("is never for another store, nor for the shared one §10.6.5", async () => {
    const store = newStore();
    await demand(store, { status: 503 });
    expect((await newStore().send("GET", "/store/inventory")).status).toBe(200);
    expect((await sendShared("GET", "/store/inventory")).status).toBe(200);
  });

  test.each(operations)(
    "costs $name no call more, and nothing is done §10.6.3",
    async ({ name: of, id }) => {
      const calls = new Calls();
      const { name, ...store } = newStore({ STORES: objectsThrough(calls) });
      await demand(newStore({}, {}, name), { operationId: id, status: 503 });
      const { request } = await prepare(of, { makers: MISSING });
      expect(outcome(await exchange(store.send, request))).toEqual(UNAVAILABLE);
      expect(calls.count).toBe(1);
      expect((await store.manage("GET", "/data")).json).toEqual({
        pets: [],
        orders: [],
        users: [],
      });
    },
  );
});

describe("rules that are shown", () => {
  test("can be sent back, however large they may be §10.6.8", async () => {
    const store = newStore();
    const full = { status: 503, chance: 0, path: "/pet/{petId}", operationId: "getPetById" };
    const body = "ö".repeat(250);
    const rules = Array.from({ length: 100 }, () => ({ ...full, body, times: 1_000_000 }));
    const size = new TextEncoder().encode(
      JSON.stringify(rules.map((rule) => ({ ...rule, seed: 4_294_967_295 }))),
    ).byteLength;
    const [first, ...rest] = rules.map((rule) => ({ ...rule, seed: 4_294_967_295 }));
    const filled = (more: number) => [{ ...first, body: body + "x".repeat(more) }, ...rest];
    const room = 64 * 1024 - size;
    expect(room).toBeGreaterThan(0);
    await demand(store, ...filled(room));
    await store.send("GET", "/pet/1");
    const shown = await shownOf(store);
    expect(shown[99]).toMatchObject({ met: 1, used: 0, left: 1_000_000 });
    await demand(store, ...shown);
    expect(await shownOf(store)).toEqual(shown);
    const { status } = await store.manage("PUT", "/faults", { json: filled(room + 1) });
    expect(status).toBe(413);
    expect(await shownOf(store)).toEqual(shown);
  });

  test("stay as they were if the new ones cannot be stored §10.6.4", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const store = newStore();
    await demand(store, { status: 503 });
    await runInDurableObject(store.object, (_, { storage }) => {
      storage.sql.exec(
        `CREATE TRIGGER full BEFORE UPDATE ON sandbox BEGIN SELECT RAISE(ABORT, 'full'); END`,
      );
    });
    const { status } = await store.manage("PUT", "/faults", { json: [{ status: 418 }] });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(await shownOf(store)).toMatchObject([{ status: 503 }]);
    vi.restoreAllMocks();
  });

  test("have the paths that were sent, and match as before §10.6.8", async () => {
    const store = newStore();
    for (const path of ["/user/%20", "/user/%2520", "/user/J%C3%B6rg", "/user/%25", "/user/a b"]) {
      await demand(store, { path, status: 503 });
      const shown = await shownOf(store);
      expect(shown).toMatchObject([{ path }]);
      await demand(store, ...shown);
      const sent = path.replace(" ", "%20");
      expect([path, (await store.send("GET", sent)).status]).toEqual([path, 503]);
    }
  });
});

describe("rules that are wrong", () => {
  test.each<[unknown, ...string[]]>([
    [{}, "body"],
    [[{}], "0"],
    [[{ status: 503 }, { times: 1 }], "1"],
    [[{ status: 199 }, { status: 600 }, { status: "503" }], "0.status", "1.status", "2.status"],
    [[{ status: 503, times: 0 }], "0.times"],
    [[{ status: 503, every: 1.5 }], "0.every"],
    [[{ delayMs: 0 }, { delayMs: 30_001 }], "0.delayMs", "1.delayMs"],
    [[{ status: 503, retryAfter: -1 }], "0.retryAfter"],
    [[{ status: 503, after: "yes" }], "0.after"],
    [[{ delayMs: 1, after: true }], "0.after"],
    [[{ delayMs: 1, retryAfter: 1 }], "0.retryAfter"],
    [[{ delayMs: [5, 1] }, { delayMs: [1] }], "0.delayMs", "1.delayMs"],
    [[{ delayMs: [1, 30_001] }], "0.delayMs"],
    [
      [
        { status: 503, chance: 1.1 },
        { status: 503, chance: "1" },
      ],
      "0.chance",
      "1.chance",
    ],
    [
      [
        { status: 503, chance: 1, seed: 2 ** 32 },
        { status: 503, used: -1 },
      ],
      "0.seed",
      "1.used",
    ],
    [[{ break: "all" }, { status: 503, body: {} }], "0.break", "1.body"],
    [
      [
        { delayMs: 1, body: "" },
        { delayMs: 1, seed: 1 },
      ],
      "0.body",
      "1.seed",
    ],
    [[{ status: 503, method: "get" }], "0.method"],
    [[{ status: 503, path: "pet" }], "0.path"],
    [[{ status: 503, operationId: "" }], "0.operationId"],
    [[{ status: 503 }, { status: 503, unknown: 1 }], "1.unknown"],
    [[1], "0"],
    [Array.from({ length: 101 }, () => ({ status: 503 })), "body"],
  ])("are 400 with the fields, and the others stay: %j §10.6.4", async (json, ...paths) => {
    const store = newStore();
    await demand(store, { status: 503 });
    expect(outcome(await store.manage("PUT", "/faults", { json }))).toEqual(
      refusal(400, "Invalid rules", ...paths),
    );
    expect(await rulesOf(store)).toEqual([{ status: 503, used: 0 }]);
  });

  test("say which member no rule has §10.6.4", async () => {
    const wrong = [{ status: 503, colour: "red" }, 1, []];
    const { json } = await newStore().manage("PUT", "/faults", { json: wrong });
    expect(json).toMatchObject({
      errors: [
        { path: "0.colour", message: "is not a member of a rule" },
        { path: "1", message: "must be a rule, not a number" },
        { path: "2", message: "must be a rule, not an array" },
      ],
    });
  });
});
