import { runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { CLASSIC } from "../../src/sandbox/classic.ts";
import { SandboxDatabase } from "../../src/sandbox/database.ts";
import { send } from "../client.ts";
import { PROTECTED, clientWith, done, logIn, outcome, refusal } from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { upload } from "../images.ts";
import { CountingLimit } from "../limiters.ts";
import { Calls, kvThrough, objectsThrough, r2Through } from "../bindings.ts";
import {
  NOTHING,
  PET,
  classicStore,
  exists,
  leftOf,
  newStore,
  sendOutside,
  storeOf,
} from "./store.ts";
import type { Own } from "./store.ts";

const NOT_FOUND = refusal(404, "Store not found");
const EMPTY = { pets: [], orders: [], users: [] };

/** No body, with the headers of one. */
const EMPTY_FORM = {
  headers: { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": "0" },
};

describe("a name", () => {
  const chars = "aB3_-";
  test.each([
    [15, 404],
    [16, 200],
    [64, 200],
    [65, 404],
  ])("of %i characters is answered %i §10.1.2", async (length, status) => {
    const name = crypto.randomUUID().slice(0, 10).padEnd(length, chars);
    const path = `/stores/${name}`;
    const answer = await sendOutside()("GET", `${path}/v2/store/inventory`);
    expect(answer.status).toBe(status);
    if (status === 200) return;
    for (const refused of [answer, await sendOutside()("PUT", `${path}/data`, { json: {} })]) {
      expect(outcome(refused)).toEqual(refusal(404, "Not found", "store"));
      expect(refused.text).toContain("must have 16 to 64 characters of A-Z a-z 0-9 _ -");
    }
  });

  test.each(["a b", "a.b", "a~b", "a%20b", "a%2Db", "a:b", "ä", "a,b", "a+b", "a*b", "a'b", "a;b"])(
    "with %j is none §10.1.2",
    async (part) => {
      const path = `/stores/${crypto.randomUUID()}${part}/v2/store/inventory`;
      expect((await sendOutside()("GET", path)).status).toBe(404);
    },
  );

  test("with an escape names no store, whatever is asked of it §10.1.2", async () => {
    const store = newStore();
    await store.send("GET", "/store/inventory");
    const escaped = `%${store.name.charCodeAt(0).toString(16)}${store.name.slice(1)}`;
    for (const path of [`/stores/${escaped}`, `/%73tores/${store.name}`]) {
      for (const [method, below] of [
        ["GET", ""],
        ["GET", "/data"],
        ["PUT", "/data"],
        ["GET", "/requests"],
        ["GET", "/faults"],
        ["GET", "/v2/store/inventory"],
        ["DELETE", ""],
      ] as const) {
        const sent = method === "PUT" ? { json: { data: "classic" } } : {};
        expect((await sendOutside()(method, path + below, sent)).json).toMatchObject({
          code: 404,
          message: "Not found",
        });
      }
    }
    expect((await store.manage("GET", "")).json).toMatchObject({ pets: 0 });
  });

  test("is another one in another case §10.1.2", async () => {
    const lower = newStore();
    await lower.send("GET", "/store/inventory");
    expect(await exists(newStore({}, {}, lower.name.toUpperCase()))).toBe(false);
  });
});

describe("a store", () => {
  test("is made by its first request, whatever that is, and by no look at it §10.1.3 §10.3.4", async () => {
    for (const [method, path] of [
      ["GET", "/pet/abc"],
      ["GET", "/user/logout"],
      ["GET", "/nowhere"],
      ["DELETE", "/store/inventory"],
      ["HEAD", "/pet/1/images/none.png"],
      ["GET", "/../api/v3/pet/abc"],
    ] as const) {
      const store = newStore();
      for (const look of ["", "/data", "/requests", "/faults"]) {
        expect(outcome(await store.manage("GET", look))).toEqual(NOT_FOUND);
      }
      expect(outcome(await store.manage("DELETE", ""))).toEqual(NOT_FOUND);
      expect(outcome(await store.manage("DELETE", "/faults"))).toEqual(NOT_FOUND);
      await store.send(method, path);
      expect(await exists(store)).toBe(true);
    }
  });

  test("is made under a random name by POST /stores §10.1.4", async () => {
    const answer = await sendOutside()("POST", "/stores", { json: { data: "classic" } });
    expect(answer.status).toBe(201);
    const made = answer.json as { store: string; url: string; expiresAt: string };
    expect(answer.headers.get("location")).toBe(`/stores/${made.store}`);
    expect(made.url).toBe(`http://petstore.test/stores/${made.store}/v2`);
    expect(Date.parse(made.expiresAt)).toBeGreaterThan(Date.now() + 86_000_000);
    const { manage, send: own } = newStore({}, {}, made.store);
    expect((await manage("GET", "")).json).toMatchObject({
      ...made,
      pets: 10,
      orders: 3,
      users: 10,
    });
    expect((await own("GET", "/pet/1")).json).toEqual(CLASSIC.pets[0]);
  });

  test.each([
    ["no body", {}],
    ["an empty object", { json: {} }],
    ["an empty form, as curl and urllib send", EMPTY_FORM],
  ])("is made empty by %s §10.1.4", async (_, sent) => {
    const { status, json } = await sendOutside()("POST", "/stores", sent);
    expect(status).toBe(201);
    const { manage } = newStore({}, {}, (json as { store: string }).store);
    expect((await manage("GET", "/data")).json).toEqual(EMPTY);
  });

  test("that is not made leaves none: bad data", async () => {
    const answer = await sendOutside()("POST", "/stores", { json: { data: "other" } });
    expect(outcome(answer)).toEqual(refusal(400, "Invalid data", "data"));
  });

  test("says what it holds and how large it is §10.3.2", async () => {
    const store = newStore();
    await store.send("POST", "/pet", { json: PET });
    const { status, json } = await store.manage("GET", "");
    expect(status).toBe(200);
    expect(json).toEqual({
      store: store.name,
      url: `http://petstore.test/stores/${store.name}/v2`,
      madeAt: expect.stringMatching(/Z$/) as string,
      expiresAt: expect.stringMatching(/Z$/) as string,
      pets: 1,
      orders: 0,
      users: 0,
      bytes: expect.any(Number) as number,
    });
    expect((json as { bytes: number }).bytes).toBeGreaterThan(0);
  });

  test("that is deleted is gone with images, sessions and rules, and its name makes an empty one §10.3.3", async () => {
    const store = await classicStore();
    expect((await store.send("POST", "/pet/1/uploadImage", upload())).status).toBe(200);
    expect((await logIn("user1", "XXXXXXXXXXX", store.send)).status).toBe(200);
    await store.manage("PUT", "/faults", { json: [{ path: "/pet/9", status: 500 }] });
    const before = await leftOf(store);
    expect(before.images).toHaveLength(1);

    expect((await store.manage("DELETE", "")).status).toBe(204);

    expect(await leftOf(store)).toEqual(NOTHING);
    expect(await exists(store)).toBe(false);
    expect(outcome(await store.manage("DELETE", ""))).toEqual(NOT_FOUND);
    expect((await store.send("GET", "/pet/1")).status).toBe(404);
    expect((await store.manage("GET", "/faults")).json).toEqual([]);
    expect((await store.send("POST", "/pet", { json: PET })).json).toEqual({ id: 1, ...PET });
  });

  test("that cannot be made by the limit of its client is 429, and none is made §10.5.2", async () => {
    const NEW_STORES = new CountingLimit(1);
    const headers = { "CF-Connecting-IP": "2001:db8::1" };
    const first = newStore({ NEW_STORES });
    expect((await first.send("GET", "/pet/1", { headers })).status).toBe(404);
    expect((await first.send("GET", "/pet/1", { headers })).status).toBe(404);
    const second = newStore({ NEW_STORES });
    for (const answer of [
      await second.send("POST", "/pet", { headers, json: PET }),
      await second.send("GET", "/user/logout", { headers }),
      await second.manage("PUT", "/data", { headers, json: { data: "empty" } }),
      await second.manage("PUT", "/faults", { headers, json: [] }),
      await sendOutside({ NEW_STORES })("POST", "/stores", { headers }),
    ]) {
      expect(outcome(answer)).toEqual(refusal(429, "Too many requests"));
      expect(answer.headers.get("retry-after")).toBe("60");
    }
    expect(await exists(second)).toBe(false);
    expect(NEW_STORES.keys).toEqual(Array.from({ length: 6 }, () => "2001:db8:0:0::/64"));
  });

  test("that another request makes while the limit is asked is there for both §10.5.3", async () => {
    const name = crypto.randomUUID();
    const NEW_STORES = {
      limit: async () => {
        await newStore({}, {}, name).send("POST", "/pet", { json: { name: "Rex", photoUrls: [] } });
        return { success: false };
      },
    };
    const { send: own } = newStore({ NEW_STORES }, {}, name);
    expect((await own("GET", "/pet/1")).json).toMatchObject({ name: "Rex" });
  });

  test("that is served at /v2 holds its setting's data whenever it is made, and no other store does", async () => {
    const name = crypto.randomUUID();
    const data = { pets: [{ id: 7, ...PET }], orders: [], users: [{ id: 1, password: "secret" }] };
    const bindings = { LOCAL_STORE: name, STORE_DATA: JSON.stringify(data) } as Bindings;
    const store = newStore(bindings, {}, name);
    const atV2 = clientWith(bindings, { base: "/v2" });
    // Requests that come before the store is made, and at once, keep what they write.
    const added = await Promise.all([1, 2].map(() => atV2("POST", "/pet", { json: PET })));
    expect(added.map(({ json }) => json)).toEqual([1, 2].map((id) => ({ id, ...PET })));
    expect((await store.send("GET", "/pet/7")).json).toEqual(data.pets[0]);
    for (const make of [
      () => atV2("GET", "/pet/1"),
      () => store.manage("PUT", "/faults", { json: [] }),
    ]) {
      expect((await store.manage("DELETE", "")).status).toBe(204);
      await make();
      expect((await store.manage("GET", "/data")).json).toEqual(data);
    }
    const other = newStore(bindings);
    expect((await other.send("GET", "/pet/7")).status).toBe(404);
  });

  test.each([
    ["[", "body"],
    ["{}", "body"],
    ['{"pets":[{"name":""}]}', "pets.0.name", "pets.0.photoUrls"],
    ['{"users":[{"id":1},{"id":1}]}', "users.1.id"],
  ])("that would hold wrong data of its setting, %s, is not made", async (STORE_DATA, ...paths) => {
    const name = crypto.randomUUID();
    const store = newStore({ LOCAL_STORE: name, STORE_DATA } as Bindings, {}, name);
    const answer = await store.manage("PUT", "/faults", { json: [] });
    expect(outcome(answer)).toEqual(refusal(400, "Invalid data", ...paths));
    expect(await leftOf(store)).toEqual(NOTHING);
  });

  test("is open where access is protected §10.2.1", async () => {
    const { name } = await classicStore();
    const store = newStore(PROTECTED, {}, name);
    expect((await store.send("GET", "/user/user1")).json).toEqual(CLASSIC.users[0]);
    expect(outcome(await store.send("DELETE", "/pet/1"))).toEqual(done("1"));
    expect((await store.manage("DELETE", "")).status).toBe(204);
  });

  test("shows its owner what it was asked: no query, no header, no body §10.7.1", async () => {
    const store = newStore();
    await store.send("GET", "/pet/findByStatus?status=lost", { headers: { "X-Secret": "word" } });
    await store.send("POST", "/pet", { json: { name: "word", photoUrls: [] } });
    const { json, text } = await store.manage("GET", "/requests");
    expect(json).toEqual([
      {
        id: 2,
        at: expect.any(Number),
        method: "POST",
        path: "/v2/pet",
        operationId: "addPet",
        status: 200,
        ms: expect.any(Number),
      },
      {
        id: 1,
        at: expect.any(Number),
        method: "GET",
        path: "/v2/pet/findByStatus",
        operationId: "findPetsByStatus",
        status: 400,
        ms: expect.any(Number),
        errors: [{ path: "status", message: expect.any(String) }],
      },
    ]);
    expect(text).not.toContain("word");
    expect(text).not.toContain(store.name);
  });

  test("shows its owner as many errors of a request as its client got §10.7.1", async () => {
    const store = newStore();
    const json = { name: "", status: "lost", tags: Array.from({ length: 100 }, () => 1) };
    const { json: refused } = await store.send("POST", "/pet", { json });
    const { errors } = refused as { errors: unknown[] };
    expect(errors).toHaveLength(100);
    expect((await store.manage("GET", "/requests")).json).toMatchObject([{ errors }]);
  });

  test("has its name in no line of the log §10.2.2", async () => {
    const lines: string[] = [];
    for (const method of ["log", "error", "warn"] as const) {
      vi.spyOn(console, method).mockImplementation((...said) => void lines.push(String(said)));
    }
    const down = new Calls(() => ({ when: "before", message: "down" }));
    const name = crypto.randomUUID();
    for (const bindings of [
      {},
      { STORES: objectsThrough(down) },
      { SESSIONS: kvThrough(down), IMAGES: r2Through(down) },
      { ACCESS: "" },
    ]) {
      const store = newStore(bindings, {}, name);
      await store.send("POST", "/pet", { json: {} });
      await store.send("GET", "/pet/1/images/5f8e3d0e-1c1f-4c8e-9a53-0d6f3f6a2b11.png");
      await store.send("GET", "/nowhere");
      await store.send("OPTIONS", "/pet");
      await logIn("ann", "secret", store.send);
      await store.manage("GET", "");
      await store.manage("GET", "/nowhere");
      await store.manage("PATCH", "/data");
      await store.manage("DELETE", "");
    }
    vi.restoreAllMocks();
    expect(lines.length).toBeGreaterThanOrEqual(36);
    expect(lines.join("\n")).not.toContain(name);
    expect(lines.join("\n")).not.toContain(newStore({}, {}, name).prefix);
  });
});

/** All rows of the tables of the service, by table. */
const tablesOf = async ({ object }: Own) =>
  runInDurableObject(object, (_, { storage: { sql } }) =>
    Object.fromEntries(
      sql
        .exec(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('sandbox', 'sandbox_requests', 'sandbox_settings') AND name NOT GLOB '_cf_*'",
        )
        .toArray()
        .map(({ name }) => [name, sql.exec(`SELECT * FROM "${name as string}"`).toArray()]),
    ),
  );

/** So many pets, with a hundred tags each. */
const tagged = (count: number) =>
  Array.from({ length: count }, () => ({
    ...PET,
    tags: Array.from({ length: 100 }, (_, tag) => `${tag}`),
  }));

const thousandAndOne = (item: object) => Array.from({ length: 1001 }, () => item);

/** As long as a member may be, about. */
const text = "x".repeat(3992);

/** Data of so many bytes. */
const dataOf = (bytes: number) => {
  const users = Array.from({ length: 520 }, () => ({ userStatus: 0, firstName: text }));
  // Numbers that would be longer if they were written again.
  const data = JSON.stringify({ users }).replaceAll(":0,", ":9e15,");
  const last = "x".repeat(bytes - data.length - `,"lastName":""`.length);
  return data.replace(/\}\]\}$/, `,"lastName":"${last}"}]}`);
};

describe("the data of a store", () => {
  test("are put and shown as the interface has them, and bring another store to the same §5.5.6 §10.4.4", async () => {
    const one = newStore();
    const json = {
      pets: [
        { id: 7, name: "Rex", photoUrls: "a.png,b.png", tags: ["dog", { id: 1 }] },
        { name: "Max", photoUrls: [] },
      ],
      orders: [{ quantity: 1 }, { id: 1, petId: 7, complete: false }],
      users: [
        { username: "ann", password: "pässword" },
        { id: 1, firstName: "Bob" },
      ],
    };
    const sent = { ...json, users: [json.users[0], { ...json.users[1], password: "" }] };
    expect((await one.manage("PUT", "/data", { json: sent })).status).toBe(204);
    const shown = {
      pets: [{ id: 1, ...json.pets[1] }, json.pets[0]],
      orders: [json.orders[1], { id: 2, ...json.orders[0] }],
      users: [json.users[1], { id: 2, ...json.users[0] }],
    };
    expect((await one.manage("GET", "/data")).json).toEqual(shown);
    expect((await one.send("GET", "/user/ann")).json).toEqual(shown.users[1]);
    expect((await logIn("ann", "pässword", one.send)).status).toBe(200);

    const other = newStore();
    expect((await other.manage("PUT", "/data", { json: shown })).status).toBe(204);
    expect((await other.manage("GET", "/data")).json).toEqual(shown);
  });

  test("replace whatever it held, and ids start again §10.4.1", async () => {
    const store = newStore();
    const pet = { name: "Rex", photoUrls: [], tags: ["dog"], status: "sold" };
    const json = { ...pet, id: Number.MAX_SAFE_INTEGER };
    expect((await store.send("POST", "/pet", { json })).status).toBe(200);
    expect((await store.manage("PUT", "/data", { json: { data: "empty" } })).status).toBe(204);
    expect((await store.manage("GET", "/data")).json).toEqual(EMPTY);
    expect((await store.send("POST", "/pet", { json: pet })).json).toEqual({ id: 1, ...pet });
    expect((await store.manage("PUT", "/data", { json: { data: "classic" } })).status).toBe(204);
    expect((await store.manage("GET", "/data")).json).toEqual(CLASSIC);
    expect((await store.send("POST", "/pet", { json: pet })).json).toMatchObject({ id: 11 });
  });

  test("leave an emptied store as a new one is, table by table: neither a session nor a key §10.4.1", async () => {
    const used = newStore();
    const pet = { name: "Rex", photoUrls: [], tags: ["dog"], status: "sold" };
    for (const id of [undefined, 2, 5, Number.MAX_SAFE_INTEGER]) {
      const headers = { "Idempotency-Key": `key ${id}` };
      await used.send("POST", "/pet", { json: { ...pet, id }, headers });
      await used.send("POST", "/store/order", { json: { id } });
      await used.send("POST", "/user", { json: { id } });
    }
    for (let made = 0; made < 12; made++) await used.send("POST", "/store/order", { json: {} });
    await used.send("POST", "/user", { json: { username: "ann", password: "secret" } });
    expect((await logIn("ann", "secret", used.send)).status).toBe(200);
    await used.send("POST", "/pet/1/uploadImage", upload());
    await used.manage("PUT", "/data", { json: { data: "empty" } });
    const fresh = newStore();
    await fresh.send("GET", "/store/inventory");
    expect(await tablesOf(used)).toEqual(await tablesOf(fresh));
  });

  test("are there though R2 keeps an image for now, and the next take it with them §10.4.1", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const name = crypto.randomUUID();
    const store = newStore({}, {}, name);
    await store.manage("PUT", "/data", { json: { data: "classic" } });
    await store.send("POST", "/pet/1/uploadImage", upload());
    const down = new Calls(() => ({ when: "before", message: "down" }));
    const { manage } = newStore({ IMAGES: r2Through(down) }, {}, name);
    expect((await manage("PUT", "/data", { json: { data: "empty" } })).status).toBe(204);
    expect((await store.manage("GET", "/data")).json).toEqual(EMPTY);
    expect((await leftOf(store)).images).toHaveLength(1);
    expect((await store.manage("PUT", "/data", { json: { data: "empty" } })).status).toBe(204);
    expect((await leftOf(store)).images).toEqual([]);
    vi.restoreAllMocks();
  });

  test.each<[string, unknown, ...string[]]>([
    ["nothing", {}, "body"],
    ["no object", [], "body"],
    ["an unknown set", { data: "full" }, "data"],
    ["a set and resources", { data: "empty", pets: [] }, "body"],
    ["pets that are no array", { pets: {} }, "pets"],
    [
      "pets that are invalid",
      { pets: [PET, { name: "", photoUrls: 1 }] },
      "pets.1.name",
      "pets.1.photoUrls",
    ],
    ["orders that are invalid", { orders: [{ quantity: -1 }] }, "orders.0.quantity"],
    ["users that are invalid", { users: [{}, { username: "login" }] }, "users.1.username"],
    ["1,001 pets", { pets: thousandAndOne(PET) }, "pets"],
    ["1,001 orders", { orders: thousandAndOne({}) }, "orders"],
    ["1,001 users", { users: thousandAndOne({}) }, "users"],
    ["5,001 tags", { pets: [{ ...PET, tags: ["one"] }, ...tagged(50)] }, "pets"],
    ["a pet twice", { pets: [{ ...PET, id: 1 }, PET, { ...PET, id: 1 }] }, "pets.2.id"],
    ["an order twice", { orders: [{ id: 1 }, { id: 1 }, { id: 1 }] }, "orders.1.id", "orders.2.id"],
    ["a user's id twice", { users: [{ id: 1 }, { id: 1 }] }, "users.1.id"],
    [
      "a username twice",
      { users: [{ username: "a" }, { id: 1, username: "a" }] },
      "users.1.username",
    ],
  ])("are refused, and the store keeps its own: %s §10.4.3", async (_, json, ...paths) => {
    const store = newStore();
    const before = { pets: [{ id: 3, ...PET }], orders: [], users: [] };
    await store.manage("PUT", "/data", { json: before });
    expect(outcome(await store.manage("PUT", "/data", { json }))).toEqual(
      refusal(400, "Invalid data", ...paths),
    );
    expect((await store.manage("GET", "/data")).json).toEqual(before);
  });

  test("are taken up to 1,000 of each §10.4.2", async () => {
    const run = vi.spyOn(SandboxDatabase.prototype, "rows");
    const store = newStore();
    const json = {
      pets: [...thousandAndOne(PET).slice(51), ...tagged(50)],
      orders: thousandAndOne({}).slice(1),
      users: thousandAndOne({ password: "x".repeat(1980) }).slice(1),
    };
    expect((await store.manage("PUT", "/data", { json })).status).toBe(204);
    expect((await store.manage("GET", "")).json).toMatchObject({
      pets: 1000,
      orders: 1000,
      users: 1000,
    });
    // What an object takes in production. The sealed passwords have more bytes.
    const values = run.mock.calls.flatMap(([, ...each]) => each);
    expect(Math.max(...values.map((value) => new Blob([String(value)]).size))).toBeLessThan(2e6);
    vi.restoreAllMocks();
  });

  test("count as one more request for each 1,000 rows that they write §10.5.4", async () => {
    const REQUESTS = new CountingLimit(10);
    const pets = thousandAndOne({ ...PET, tags: ["one"] }).slice(1);
    const { manage } = newStore({ REQUESTS });
    const classic = await manage("PUT", "/data", { json: { data: "classic" } });
    expect([classic.status, classic.headers.get("x-rows")]).toEqual([204, null]);
    expect(REQUESTS.keys).toHaveLength(1);
    // Four rows for each pet.
    expect((await manage("PUT", "/data", { json: { pets } })).status).toBe(204);
    expect(REQUESTS.keys).toHaveLength(6);
    const made = await sendOutside({ REQUESTS })("POST", "/stores", { json: { pets } });
    expect(made.status).toBe(201);
    expect(REQUESTS.keys).toHaveLength(11);
    expect((await manage("GET", "")).status).toBe(429);
  });

  test("that replace many tags leave the table of tags and its indexes as they were §10.4.1", async () => {
    const store = newStore();
    await store.manage("PUT", "/data", { json: { pets: tagged(11) } });
    // As a later migration may make one.
    const index = 'CREATE INDEX "pets_of_tags" ON "pet_tags" ("petId")';
    const run = async (query: string) =>
      runInDurableObject(store.object, (_, { storage: { sql } }) => sql.exec(query).toArray());
    await run(index);
    const schema = 'SELECT "name", "sql" FROM "sqlite_schema" ORDER BY "name"';
    const before = await run(schema);
    await store.manage("PUT", "/data", { json: { data: "classic" } });
    expect(await run(schema)).toEqual(before);
  });

  test("are shown however many they are, but taken only within these limits §10.4.4", async () => {
    const store = await storeOf(1001);
    const { status, json } = await store.manage("GET", "/data");
    expect([status, (json as { pets: unknown[] }).pets.length]).toEqual([200, 1001]);
    expect(outcome(await store.manage("PUT", "/data", { json }))).toEqual(
      refusal(400, "Invalid data", "pets"),
    );
  });

  test("are taken up to 2 MiB, as they are written, also by POST /stores §10.1.4 §10.4.2", async () => {
    const store = newStore();
    const headers = { "Content-Type": "application/json" };
    const most = 2 * 1024 * 1024;
    const put = async (bytes: number) =>
      store.manage("PUT", "/data", { body: dataOf(bytes), headers });
    const make = async (bytes: number) =>
      sendOutside()("POST", "/stores", { body: dataOf(bytes), headers });
    expect([(await put(most)).status, (await make(most)).status]).toEqual([204, 201]);
    for (const refused of [await put(most + 1), await make(most + 1)]) {
      expect(outcome(refused)).toEqual(refusal(413, "Content too large"));
    }
    expect((await store.manage("GET", "")).json).toMatchObject({ users: 520 });
  });

  test("are streamed, with few passwords open at a time, and count as one more request for each 1,000 rows §10.4.4 §10.5.4", async () => {
    const store = await storeOf(1500);
    const REQUESTS = new CountingLimit();
    const users = Array.from({ length: 500 }, (_, id) => ({ id: id + 1, password: `p${id}` }));
    const orders = [{ id: 1, quantity: 2 }];
    const other = newStore({ REQUESTS });
    await other.manage("PUT", "/data", { json: { users, orders } });
    let [open, most] = [0, 0];
    const { subtle } = crypto;
    const decrypt = subtle.decrypt.bind(subtle);
    vi.spyOn(subtle, "decrypt").mockImplementation(async (...values) => {
      most = Math.max(most, ++open);
      return decrypt(...values).finally(() => (open -= 1));
    });
    const shown = await other.manage("GET", "/data");
    expect(shown.headers.get("content-length")).toBeNull();
    expect(shown.json).toEqual({ pets: [], orders, users });
    expect(most).toBeLessThanOrEqual(100);
    vi.restoreAllMocks();

    const counting = newStore({ REQUESTS }, {}, store.name);
    const before = REQUESTS.keys.length;
    const { json, headers } = await counting.manage("GET", "/data");
    expect((json as { pets: unknown[] }).pets).toHaveLength(1500);
    expect(headers.get("x-rows")).toBeNull();
    expect(REQUESTS.keys.length - before).toBe(2);
  });

  test("are sent to at most four clients at a time, of whom each counts until it has all or leaves §10.5.6", async () => {
    const { name, manage } = await storeOf(500);
    const open = async (method = "GET") =>
      exports.default.fetch(`http://petstore.test/stores/${name}/data`, { method });
    const first = (await manage("GET", "/data")).json;
    for (let time = 0; time < 10; time++) expect((await open("HEAD")).status).toBe(200);
    const [whole, cancelled, ...others] = await Promise.all(
      Array.from({ length: 4 }, async () => open()),
    );
    const refused = await manage("GET", "/data");
    expect(outcome(refused)).toEqual(refusal(429, "Too many requests"));
    expect(refused.headers.get("retry-after")).toBe("60");
    // What a client gets is what the sandbox held when it asked.
    await manage("PUT", "/data", { json: { data: "empty" } });
    expect(await whole?.json()).toEqual(first);
    expect((await manage("GET", "/data")).status).toBe(200);
    await cancelled?.body?.cancel();
    await expect.poll(async () => (await manage("GET", "/data")).status).toBe(200);
    for (const other of others) expect(await other.json()).toEqual(first);
  });
});

test("the shared store has none of this", async () => {
  for (const path of ["/data", "/requests", "/faults"]) {
    for (const method of ["GET", "PUT", "DELETE"]) {
      expect((await send(method, path, {})).status).toBe(404);
      expect((await sendOutside()(method, path)).status).toBe(404);
      expect((await sendOutside()(method, `/stores${path}`)).status).toBe(404);
    }
  }
});
