// Faults as networks have them, those that one request asks for, and rules that no request could meet.
import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { time } from "../../src/platform/failures.ts";
import type { LoggedRequest } from "../../src/sandbox/record/log.ts";
import { send as sendShared } from "../client.ts";
import type { Answer } from "../client.ts";
import { etagOf, outcome, refusal } from "../fixtures.ts";
import { ask } from "./raw.ts";
import { PET, classicStore, demand, imageOf, localOf, newStore, repeat, shownOf } from "./store.ts";
import type { Own } from "./store.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const reading = (store: Own) => async () => store.send("GET", "/pet/1");

/** The delays that the Worker waited for, without the pauses of other things. */
const delaysIn = (waited: { readonly mock: { readonly calls: readonly (readonly [number])[] } }) =>
  waited.mock.calls.map(([ms]) => ms).filter((ms) => ms >= 1000);

describe("a rule by chance", () => {
  test("follows its seed, also after the store has slept §10.6.7", async () => {
    const store = await classicStore();
    const read = reading(store);
    const rule = { status: 503, chance: 0.5, seed: 7 };
    const drawn = async (...rules: object[]) => {
      await demand(store, ...rules);
      return repeat(20, read);
    };
    const first = await drawn(rule);
    expect(first.filter((status) => status === 503).length).toBeGreaterThan(5);
    expect(first.filter((status) => status === 200).length).toBeGreaterThan(5);
    expect(await drawn(rule)).toEqual(first);
    expect(await drawn({ ...rule, seed: 8 })).not.toEqual(first);
    await demand(store, rule);
    const halves = await repeat(10, read);
    await evictDurableObject(store.object);
    expect([...halves, ...(await repeat(10, read))]).toEqual(first);
    expect(await drawn({ status: 503, chance: 0 })).toEqual(Array.from(first, () => 200));
    expect(await drawn({ status: 503, chance: 1 })).toEqual(Array.from(first, () => 503));
  });

  test("shows its seed, and goes on where it is put back §10.6.7 §10.6.8", async () => {
    const store = await classicStore();
    const read = reading(store);
    await demand(store, { status: 503, chance: 0.5, times: 100 }, { delayMs: [1000, 2000] });
    const before = await repeat(10, read);
    const shown = await shownOf(store);
    const used = before.filter((status) => status === 503).length;
    expect(shown).toEqual([
      {
        status: 503,
        chance: 0.5,
        times: 100,
        seed: expect.any(Number),
        used,
        met: 10,
        left: 100 - used,
      },
      { delayMs: [1000, 2000], seed: expect.any(Number), used: 10 - used, met: 10 - used },
    ]);
    expect(shown[0]?.seed).not.toBe(shown[1]?.seed);
    const waited = vi.spyOn(time, "wait");
    const after = await repeat(20, read);
    const delays = delaysIn(waited);
    waited.mockClear();
    // What is shown as left is not read.
    await demand(store, { ...shown[0], left: "all" }, shown[1]);
    expect(await shownOf(store)).toEqual(shown);
    expect([await repeat(20, read), delaysIn(waited)]).toEqual([after, delays]);
  });

  test("delays within its range §10.6.1 §10.6.7", async () => {
    const store = await classicStore();
    const waited = vi.spyOn(time, "wait");
    await demand(store, { delayMs: [1000, 1003], seed: 1 });
    await repeat(40, reading(store));
    const delays = delaysIn(waited);
    expect(delays).toHaveLength(40);
    expect(new Set(delays)).toEqual(new Set([1000, 1001, 1002, 1003]));
    const { json } = await store.manage("GET", "/requests");
    const [{ ms }] = json as [{ ms: number }];
    expect(ms).toBeGreaterThanOrEqual(delays.at(-1) ?? Infinity);
    waited.mockClear();
    await demand(store, { delayMs: [0, 0] });
    expect(await repeat(1, reading(store))).toEqual([200]);
    expect(delaysIn(waited)).toEqual([]);
  });
});

/** What comes of an answer, and whether its connection ends within the body. */
async function received(response: Response) {
  const chunks: Uint8Array[] = [];
  let isBroken = false;
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
  } catch {
    isBroken = true;
  }
  const { status, headers } = response;
  return { status, headers, isBroken, text: await new Blob(chunks).text() };
}

const INTERNAL_ERROR = refusal(500, "Internal error");

const half = (text: string) => text.slice(0, Math.floor(text.length / 2));

/** The same answer as it is, and with each break. */
async function broken(store: Own, method: string, path: string, headers = {}) {
  const request = async () =>
    received(await ask(`/stores/${store.name}/v2${path}`, headers, method));
  await demand(store);
  const whole = await request();
  await demand(store, { break: "body" });
  const body = await request();
  await demand(store, { break: "json" });
  return { whole, body, json: await request() };
}

describe("an answer that breaks", () => {
  test("has its status, its headers and half of its body §10.6.9 §10.6.10", async () => {
    const store = await classicStore();
    for (const [path, status] of [
      ["/pet/1", 200],
      ["/pet/404", 404],
    ] as const) {
      const { whole, body, json } = await broken(store, "GET", path);
      expect(whole).toMatchObject({ status, isBroken: false });
      expect(body).toMatchObject({ status, isBroken: true, text: half(whole.text) });
      expect(json).toMatchObject({ status, isBroken: false, text: half(whole.text) });
      expect(() => JSON.parse(json.text) as unknown).toThrow(/JSON/);
      for (const answer of [body, json]) {
        expect(answer.headers.get("ETag")).toBe(whole.headers.get("ETag"));
        expect([...answer.headers.keys()].filter((name) => /delay|break/.test(name))).toEqual([]);
      }
    }
    const waited = vi.spyOn(time, "wait");
    await demand(store, { status: 500, break: "json", delayMs: 1000 });
    const late = await received(await ask(`/stores/${store.name}/v2/pet/1`));
    expect([late.status, late.text]).toEqual([500, half(JSON.stringify(INTERNAL_ERROR.json))]);
    expect(delaysIn(waited)).toEqual([1000]);
  });

  test("may be a list that is streamed, or an image §10.6.9 §10.6.10", async () => {
    const store = newStore();
    const pets = Array.from({ length: 300 }, () => ({ ...PET, status: "sold" }));
    expect((await store.manage("PUT", "/data", { json: { pets } })).status).toBe(204);
    const image = await imageOf(store);
    for (const path of ["/pet/findByStatus?status=sold", image]) {
      const { whole, body, json } = await broken(store, "GET", path);
      expect([body.isBroken, body.text]).toEqual([true, half(whole.text)]);
      expect([json.isBroken, json.text]).toEqual([false, half(whole.text)]);
    }
  });

  test("is recorded as it is meant to leave, with how it broke §10.7.13", async () => {
    const store = await classicStore();
    const image = await imageOf(store);
    const pets = Array.from({ length: 1000 }, () => ({ ...PET, name: "ö", status: "sold" }));
    await store.send("POST", "/pet", { json: { ...PET, id: 20, name: "öööööööö" } });
    for (const path of ["/pet/20", "/pet/404", image, "/pet/findByStatus?status=sold"]) {
      for (const kind of ["body", "json"]) {
        const rule = { break: kind };
        await demand(store, rule);
        await store.manage("PUT", "/requests", { json: { record: "full" } });
        const { text } = await received(await ask(`/stores/${store.name}/v2${path}`));
        const responseBody =
          path === image ? { bytes: 35, type: "image/png" } : text.replace("\uFFFD", "");
        const newest = async () => (await store.manage("GET", "/requests?limit=1")).json;
        expect(await newest()).toMatchObject([{ broken: kind, rule, responseBody }]);
        await store.manage("PUT", "/requests", { json: { record: "lines" } });
        await received(await ask(`/stores/${store.name}/v2${path}`));
        expect(await newest()).toMatchObject([{ broken: kind, rule }]);
      }
    }
    await store.manage("PUT", "/requests", { json: { record: "full" } });
    expect((await store.manage("PUT", "/data", { json: { pets } })).status).toBe(204);
    await demand(store, { break: "body" });
    const list = await received(await ask(`/stores/${store.name}/v2/pet/findByStatus?status=sold`));
    const [entry] = (await store.manage("GET", "/requests")).json as LoggedRequest[];
    const bytes = new TextEncoder().encode(list.text).byteLength;
    expect(entry).toMatchObject({ broken: "body", responseBody: { bytes, cut: true } });
    await demand(store, { status: 503 });
    await store.send("GET", "/pet/1");
    const [whole] = (await store.manage("GET", "/requests")).json as LoggedRequest[];
    expect(whole).not.toHaveProperty("broken");
  });

  test.each(["", "x"])("is whole if its body is %j, and has no half §10.6.11", async (body) => {
    const store = newStore();
    await store.manage("PUT", "/requests", { json: { record: "full" } });
    for (const kind of ["body", "json"]) {
      await demand(store, { status: 503, body, break: kind, delayMs: 1 });
      const answer = await received(await ask(`/stores/${store.name}/v2/pet/1`));
      expect(answer).toMatchObject({ status: 503, isBroken: false, text: body });
      expect(await shownOf(store)).toMatchObject([{ used: 1 }]);
      const [entry] = (await store.manage("GET", "/requests")).json as LoggedRequest[];
      expect(entry).not.toHaveProperty("broken");
    }
  });

  test("is whole if it has no body §10.6.11", async () => {
    const store = await classicStore();
    const tag = etagOf(await store.send("GET", "/pet/1"));
    for (const [method, headers] of [
      ["HEAD", {}],
      ["GET", { "If-None-Match": tag }],
    ] as const) {
      const { whole, body, json } = await broken(store, method, "/pet/1", headers);
      expect([body, json]).toMatchObject(
        [body, json].map(() => ({ status: whole.status, isBroken: false, text: "" })),
      );
      expect(await shownOf(store)).toMatchObject([{ used: 1 }]);
    }
  });
});

test.each([
  [502, "<h1>Bad gateway</h1>", "text/html; charset=utf-8"],
  [502, "upstream: gestört", "text/plain; charset=utf-8"],
  [502, "", "text/plain; charset=utf-8"],
  [200, "done", "text/plain; charset=utf-8"],
])("a %i has the rule's body %j, and no browser runs it §10.6.12", async (status, body, type) => {
  const store = newStore();
  await demand(store, { status, body, retryAfter: 3 });
  const { headers, ...answer } = await received(await ask(`/stores/${store.name}/v2/pet/1`));
  expect([answer.status, answer.text, headers.get("Content-Type")]).toEqual([status, body, type]);
  expect(headers.get("Content-Security-Policy")).toContain("sandbox");
  expect(headers.get("Retry-After")).toBe("3");
});

test("a member that is null is left out §10.6.13", async () => {
  const store = newStore();
  const members = ["operationId", "method", "path", "times", "every", "chance", "seed", "delayMs"];
  const others = ["after", "retryAfter", "body", "break", "used", "met", "left"];
  const nulls = Object.fromEntries([...members, ...others].map((member) => [member, null]));
  await demand(store, { ...nulls, status: 503 });
  expect(await shownOf(store)).toEqual([{ status: 503, used: 0, met: 0 }]);
});

describe("a rule that no request could meet", () => {
  test.each([
    [
      { operationId: "addPett" },
      "operationId",
      /^must be one of addPet, updatePet, .*, deleteUser$/,
    ],
    [{ path: "/v2/pet/1" }, "path", "must be /pet/1: leave out /v2"],
    [{ path: "/api/v3/store/inventory" }, "path", "must be /store/inventory: leave out /api/v3"],
    [{ path: "/pet/{id}" }, "path", /^must be a path of an operation: .*, \/pet\/\{petId\}, /],
    [{ path: "/nowhere" }, "path", /^must be a path of an operation: /],
    [{ path: "/pet/1/2" }, "path", /^must be a path of an operation: /],
    [{ path: "/pet/1?a=b" }, "path", "must have no ?, no # and no / at its end"],
    [{ path: "/pet/1#a" }, "path", "must have no ?, no # and no / at its end"],
    [{ path: "/pet/1/" }, "path", "must have no ?, no # and no / at its end"],
    [{ path: "/store/inventory", method: "PUT" }, "method", "must be GET or HEAD"],
    [{ path: "/pet/findByStatus", method: "DELETE" }, "method", "must be GET or HEAD"],
    [
      { path: "/user/createWithList", operationId: "getUserByName" },
      "path",
      "must be a path of getUserByName: /user/{username}",
    ],
    [{ operationId: "deletePet", method: "GET" }, "method", "must be DELETE"],
    [
      { operationId: "deletePet", path: "/pet" },
      "path",
      "must be a path of deletePet: /pet/{petId}",
    ],
  ] as const)("is refused with what would do: %j §10.6.14", async (aim, member, message) => {
    const store = newStore();
    const json = [{ status: 503 }, { status: 503, ...aim }];
    const answer = await store.manage("PUT", "/faults", { json });
    expect(outcome(answer)).toEqual(refusal(400, "Invalid rules", `1.${member}`));
    const { errors } = answer.json as { errors: [{ message: string }] };
    expect(errors[0].message).toMatch(message);
    expect((await store.manage("GET", "")).status).toBe(404);
  });

  test("costs no regular expression more, however many there are §10.6.14", async () => {
    const compiled = vi.spyOn(globalThis, "RegExp");
    const json = Array.from({ length: 100 }, () => ({ status: 503, path: "/a".repeat(128) }));
    const { status } = await newStore().manage("PUT", "/faults", { json });
    expect(status).toBe(400);
    expect(compiled.mock.calls.length).toBeLessThan(100);
  });

  test("is none of those that a request meets §10.6.14", async () => {
    const store = await classicStore();
    for (const [aim, method, path] of [
      [{ operationId: "getPetById", method: "HEAD", path: "/pet/1" }, "HEAD", "/pet/1"],
      [{ operationId: "deletePet", path: "/pet/{petId}" }, "DELETE", "/pet/1"],
      [{ path: "/pet/findByStatus" }, "GET", "/pet/findByStatus?status=sold"],
      [{ path: "/pet/1/images/a.png", method: "GET" }, "GET", "/pet/1/images/a.png"],
    ] as const) {
      await demand(store, { ...aim, status: 503 });
      expect([path, (await store.send(method, path)).status]).toEqual([path, 503]);
    }
  });
});

const exposed = ({ headers }: Answer) =>
  headers.get("Access-Control-Expose-Headers")?.includes("Preference-Applied");

describe("Prefer", () => {
  test.each([
    ["code=503", 503, "code=503"],
    ["code=503, delay=2", 503, "code=503, delay=2", 2000],
    ["delay=1.5", 200, "delay=1.5", 1500],
    ['CODE="429" ; foo=bar, respond-async', 429, "code=429"],
    ["wait=10, delay=30", 200, "delay=30", 30_000],
    ["code=503, code=500, delay=31", 503, "code=503"],
    ['example="a, code=500", code=503', 503, "code=503"],
    ["code=599", 599, "code=599"],
  ])("%s is for this one request §10.6.15", async (prefer, status, applied, delay?: number) => {
    const store = await classicStore();
    await demand(store, { status: 500, times: 1 });
    const waited = vi.spyOn(time, "wait");
    const response = await ask(`/stores/${store.name}/v2/pet/1`, { Prefer: prefer });
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    expect(response.headers.get("Preference-Applied")).toBe(applied);
    expect(delaysIn(waited)).toEqual(delay === undefined ? [] : [delay]);
    expect(response.headers.has("Retry-After")).toBe(status === 503 || status === 429);
    expect(await shownOf(store)).toMatchObject([{ used: 0, met: 0 }]);
  });

  test.each([
    "code=200",
    "code=399",
    "code=600",
    "code=0x1f7",
    "code",
    "delay=31",
    "delay=-1",
    "delay=",
    "wait=5",
    "code=abc, code=503",
    '"',
    'code=503"',
  ])("%s cannot be used, and the request meets the rules §10.6.15", async (prefer) => {
    const store = await classicStore();
    await demand(store, { status: 500, times: 1 });
    const { status, headers } = await store.send("GET", "/pet/1", { headers: { Prefer: prefer } });
    expect([status, headers.get("Preference-Applied")]).toEqual([500, null]);
  });

  test("is for own stores, and scripts may read what was applied §10.6.15 §7.1", async () => {
    const store = await classicStore();
    const headers = { Prefer: "code=503" };
    const own = await localOf(store)("GET", "/pet/1", { headers });
    expect([own.status, exposed(own)]).toEqual([503, true]);
    expect(exposed(await store.send("GET", "/pet/1"))).toBe(true);
    const shared = await sendShared("GET", "/store/inventory", { headers });
    expect([shared.status, exposed(shared)]).toEqual([200, false]);
    // A request outside the interface is none to the store's pets.
    expect((await store.manage("GET", "", { headers })).status).toBe(200);
  });
});
