import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { SandboxDatabase } from "../../src/sandbox/database.ts";
import { MIGRATIONS } from "../../src/db/migrations.ts";
import { expectUnavailable, logIn } from "../fixtures.ts";
import { upload } from "../images.ts";
import { Calls, r2Through } from "../bindings.ts";
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

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A clock for the Worker and its objects, which a test moves. */
function stoppedClock() {
  vi.useFakeTimers({ toFake: ["Date"] });
  const began = Date.now();
  return { now: () => Date.now(), to: (ms: number) => void vi.setSystemTime(began + ms), began };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const alarmOf = async ({ object }: Own) =>
  runInDurableObject(object, async (_, { storage }) => storage.getAlarm());

/** A store with a pet that has an image, and a session. */
async function fullStore(...of: Parameters<typeof newStore>): Promise<Own> {
  const store = await classicStore(...of);
  expect((await store.send("POST", "/pet/1/uploadImage", upload())).status).toBe(200);
  expect((await logIn("user1", "XXXXXXXXXXX", store.send)).status).toBe(200);
  return store;
}

const rowsIn = async ({ object }: Own, table: string) =>
  runInDurableObject(
    object,
    (_, { storage }) => storage.sql.exec(`SELECT count(*) AS rows FROM ${table}`).one()["rows"],
  );

/**
 * Sends the beginning of a body, deletes the sandbox, and sends the rest.
 * @param isSized whether the request has a `Content-Length`: then the Worker waits for the body, otherwise the object
 * @returns the answer
 */
async function overtaken(
  { name, manage }: Own,
  [method, path, json]: readonly [string, string, object],
  isSized: boolean,
) {
  const [first, ...rest] = new TextEncoder().encode(JSON.stringify(json));
  const { readable, writable } = isSized
    ? new FixedLengthStream(1 + rest.length)
    : new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const isRead = writer.write(Uint8Array.of(first ?? 0));
  const answer = exports.default.fetch(`http://petstore.test/stores/${name}${path}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(isSized && { "Content-Length": String(1 + rest.length) }),
    },
    body: readable,
  });
  await isRead;
  expect((await manage("DELETE", "")).status).toBe(204);
  await writer.write(Uint8Array.from(rest));
  await writer.close();
  return answer;
}

describe("a store", () => {
  test("ends by its alarm, a day after its last request, and nothing is left of it §10.3.1", async () => {
    const { now, to } = stoppedClock();
    const store = await fullStore({}, { now });
    to(DAY_MS);
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect(await exists(store)).toBe(true);

    to(DAY_MS + 10 * MINUTE_MS);
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect(await leftOf(store)).toEqual(NOTHING);
    expect(await exists(store)).toBe(false);
  });

  test("says when it will end: 24 hours after its last request at the earliest, 10 minutes later at the latest", async () => {
    const { now, to, began } = stoppedClock();
    const store = newStore({}, { now });
    await store.send("GET", "/store/inventory");
    for (const minutes of [0, 9, 10, 11, 25, 60, 24 * 60]) {
      to(minutes * MINUTE_MS);
      await store.send("GET", "/store/inventory");
      const { expiresAt } = (await store.manage("GET", "")).json as { expiresAt: string };
      const left = Date.parse(expiresAt) - began - minutes * MINUTE_MS;
      expect(left).toBeGreaterThanOrEqual(DAY_MS);
      expect(left).toBeLessThanOrEqual(DAY_MS + 10 * MINUTE_MS);
      expect(await alarmOf(store)).toBe(Date.parse(expiresAt));
    }
  });

  test("moves its end at most once in ten minutes, however often it is used §10.3.1", async () => {
    const { now, to } = stoppedClock();
    const store = newStore({}, { now });
    await store.send("GET", "/store/inventory");
    const ends = new Set<number | null>();
    for (let minute = 0; minute < 30; minute++) {
      to(minute * MINUTE_MS);
      await store.send("POST", "/pet", { json: PET });
      await store.manage("GET", "/data");
      ends.add(await alarmOf(store));
    }
    expect(ends.size).toBe(3);
  });

  test("lives as long as STORE_SECONDS says", async () => {
    const { now, began } = stoppedClock();
    const store = newStore({ STORE_SECONDS: "100" }, { now });
    await store.send("GET", "/store/inventory");
    expect(await alarmOf(store)).toBe(began + 110_000);
  });

  test.each([false, true])(
    "does not exist where STORE_CREATION is nobody, nor do its pages and documents, but for that of the package: %j §10.3.6",
    async (isLocal) => {
      const { name } = await classicStore();
      const local = isLocal && { LOCAL_STORE: name, LOCAL_HOSTS: "petstore.test" };
      const off = sendOutside({ STORE_CREATION: "nobody", ...local } as object);
      const other = isLocal ? crypto.randomUUID() : name;
      for (const [method, path] of [
        ["POST", "/stores"],
        ["POST", "/%73tores"],
        ["GET", "/stores"],
        ...["", "/", "/data", "/requests", "/v2/pet/1", "/v2/openapi.json", "/nowhere"].map(
          (below) => ["GET", `/stores/${other}${below}`] as const,
        ),
        ["GET", `/stores/${other}/v2/user/..%2f..%2f..%2fv2/x`],
        ["PUT", `/stores/${other}/data`],
        ["DELETE", `/stores/${other}`],
        ["GET", "/stores/short"],
        ["GET", `/stores/%${name.charCodeAt(0).toString(16)}${name.slice(1)}/data`],
      ] as const) {
        const answer = await off(method, path);
        expect(answer.json, `${method} ${path}`).toEqual({
          code: 404,
          type: "error",
          message: "Not found",
          errors: [{ path: "store", message: "this service has no sandboxes" }],
        });
      }
      for (const path of ["/stores/", `/stores/${other}/`]) {
        const page = await off("GET", path, { headers: { Accept: "text/html" } });
        expect([page.status, page.text.includes("<h1>No sandboxes</h1>")]).toEqual([404, true]);
      }
      const own = ["/v2/pet/1", `/stores/${name}/data`, `/stores/${name}/v2/pet/1`];
      for (const path of isLocal ? own : ["/v2/store/inventory"]) {
        expect((await off("GET", path)).status, `GET ${path}`).toBe(200);
      }
    },
  );

  test("that is used after its time, before its alarm, lives on §10.3.1", async () => {
    const { now, to } = stoppedClock();
    const store = await fullStore({}, { now });
    to(2 * DAY_MS);
    expect((await store.send("GET", "/pet/1")).status).toBe(200);
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect((await store.send("GET", "/pet/1")).status).toBe(200);
    expect(await alarmOf(store)).toBe(Date.now() + DAY_MS + 10 * MINUTE_MS);
  });

  test("that is used while it ends is an empty one afterwards, whole in either case §10.3.3", async () => {
    const store = await fullStore();
    const answers = await Promise.all([
      store.send("GET", "/pet/1"),
      store.manage("DELETE", ""),
      ...Array.from({ length: 10 }, async () => store.send("POST", "/pet", { json: PET })),
    ]);
    const statuses = answers.map(({ status }) => status);
    // A list that is read while the sandbox ends is 503.
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    const { json } = await store.manage("GET", "/data");
    const { pets } = json as { pets: { id: number; name: string }[] };
    expect(pets.length).toBeLessThanOrEqual(statuses.filter((status) => status === 200).length);
    expect(pets.filter(({ name }) => name !== "Rex")).toEqual([]);
    expect(pets.map(({ id }) => id)).toEqual(pets.map((_, index) => index + 1));
    expect((await leftOf(store)).images).toEqual([]);
  });

  test("reads a page of a list when its client has read the one before §3.10.3", async () => {
    const store = await storeOf(10_000);
    const run = vi.spyOn(SandboxDatabase.prototype, "run");
    const list = await exports.default.fetch(
      `http://petstore.test/stores/${store.name}/v2/pet/findByStatus?status=sold`,
    );
    const reader = list.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await scheduler.wait(50);
    expect(run.mock.calls.length).toBeLessThanOrEqual(2);
    await reader?.cancel();
  });

  test("that ends while a list is read breaks the list, and is not made again §10.3.3", async () => {
    const store = await storeOf(5000);
    const list = await exports.default.fetch(
      `http://petstore.test/stores/${store.name}/v2/pet/findByStatus?status=sold`,
    );
    const reader = list.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    expect((await store.manage("DELETE", "")).status).toBe(204);
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toBeInstanceOf(Error);
    expect(await exists(store)).toBe(false);
  });

  describe.each([
    ["the object", false],
    ["the Worker", true],
  ])("that ends while %s waits for the body", (_, isSized) => {
    test.each<[string, string, object, number, object]>([
      ["POST", "/v2/pet", PET, 200, { pets: 1 }],
      ["PUT", "/data", { data: "classic" }, 204, { pets: 10 }],
      ["PUT", "/faults", [], 204, { pets: 0 }],
      ["PUT", "/requests", { record: "full" }, 204, { pets: 0 }],
    ])("of %s %s begins anew with it §10.3.3", async (method, path, json, status, holds) => {
      const store = await classicStore();
      expect((await overtaken(store, [method, path, json], isSized)).status).toBe(status);
      expect((await store.manage("GET", "")).json).toMatchObject(holds);
    });

    test("has this request in its record, and none from before §10.7.10", async () => {
      const store = await classicStore();
      await store.send("GET", "/pet/1");
      await overtaken(store, ["POST", "/v2/pet", PET], isSized);
      expect((await store.manage("GET", "/requests")).json).toMatchObject([
        { method: "POST", path: "/v2/pet", status: 200 },
      ]);
    });
  });

  test("that R2 keeps from ending is whole, and ends later", async () => {
    const { now, to } = stoppedClock();
    const store = await fullStore({}, { now });
    to(2 * DAY_MS);
    const IMAGES = r2Through(
      new Calls(() => ({ when: "before", message: "list: We encountered an internal error." })),
    );
    const logged = vi.spyOn(console, "error").mockReturnValue(undefined);
    const failing = newStore({ IMAGES }, { now }, store.name);
    expect((await failing.manage("DELETE", "")).status).toBe(503);
    await runInDurableObject(store.object, (instance) =>
      Object.assign(instance, { env: { ...env, IMAGES } }),
    );
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect(logged.mock.lastCall).toEqual([expect.stringContaining("internal error")]);
    expect(await alarmOf(store)).toBe(Date.now() + HOUR_MS);
    expect((await store.send("GET", "/pet/1")).status).toBe(200);

    await runInDurableObject(store.object, (instance) => Object.assign(instance, { env }));
    to(4 * DAY_MS);
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect(await leftOf(store)).toEqual(NOTHING);
  });

  test.each([
    ["in progress when it ended", true, false, 404],
    ["cut short after it ended", true, true, 503],
    ["cut short while it lived", false, true, 503],
  ])("keeps no image of an upload that was %s §10.3.3", async (_, ends, isCut, status) => {
    const { now, to } = stoppedClock();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const store = newStore({}, { now });
    await store.send("POST", "/pet", { json: PET });
    const IMAGES = new Proxy(env.IMAGES, {
      get: (bucket, method) =>
        method === "put"
          ? async (...values: Parameters<R2Bucket["put"]>) => {
              if (ends) await store.manage("DELETE", "");
              await bucket.put(...values);
              if (isCut) throw new Error("put: We encountered an internal error. (10001)");
            }
          : (Reflect.get(bucket, method) as () => void).bind(bucket),
    });
    const { send } = newStore({ IMAGES }, { now }, store.name);
    expect((await send("POST", "/pet/1/uploadImage", upload())).status).toBe(status);
    expect(await exists(store)).toBe(!ends);
    // R2 may still store what was cut short.
    expect((await leftOf(store)).images).toHaveLength(isCut ? 1 : 0);

    to(2 * HOUR_MS);
    await (ends ? runDurableObjectAlarm(store.object) : store.send("GET", "/store/inventory"));
    await expect.poll(async () => (await leftOf(store)).images).toEqual([]);
    const left = ends ? await leftOf(store) : await rowsIn(store, "pet_images");
    expect(left).toEqual(ends ? NOTHING : 0);
  });

  test("keeps the images that it gets while what an earlier one left is deleted §10.3.3", async () => {
    const store = newStore();
    await store.send("POST", "/pet", { json: PET });
    await runInDurableObject(store.object, (_, { storage }) => {
      storage.sql.exec("INSERT INTO pet_images (petId, name, dueAt) VALUES (1, 'left.png', 1)");
    });
    await store.manage("DELETE", "");
    const next = async () => {
      await store.send("POST", "/pet", { json: PET });
      return store.send("POST", "/pet/1/uploadImage", upload());
    };
    let uploaded: ReturnType<typeof next> | undefined;
    const IMAGES = new Proxy(env.IMAGES, {
      get: (bucket, method) =>
        method === "list"
          ? async (...values: Parameters<R2Bucket["list"]>) => {
              uploaded = next();
              await scheduler.wait(200);
              return bucket.list(...values);
            }
          : (Reflect.get(bucket, method) as () => void).bind(bucket),
    });
    await runInDurableObject(store.object, (instance) =>
      Object.assign(instance, { env: { ...env, IMAGES } }),
    );
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect((await uploaded)?.status).toBe(200);
    expect((await leftOf(store)).images).toHaveLength(1);
  });

  test("forgets idempotency keys whose 24 hours are over", async () => {
    const { now, to } = stoppedClock();
    const store = newStore({}, { now });
    const send = async (key: string) =>
      store.send("POST", "/pet", { json: PET, headers: { "Idempotency-Key": key } });
    await send("one");
    to(23 * HOUR_MS);
    await send("two");
    to(25 * HOUR_MS);
    await store.send("GET", "/store/inventory");
    await expect.poll(async () => rowsIn(store, "idempotency_keys")).toBe(1);
  });

  test("is as it was when its object wakes: data, ids, end, rules", async () => {
    const store = await fullStore();
    await store.send("DELETE", "/pet/10");
    await store.manage("PUT", "/faults", { json: [{ status: 503, path: "/pet/1", times: 5 }] });
    await store.send("GET", "/pet/1");
    const shown = async () =>
      Promise.all(
        ["", "/data", "/faults"].map(async (path) => (await store.manage("GET", path)).json),
      );
    const before = await shown();
    await evictDurableObject(store.object);
    expect(await shown()).toEqual(before);
    expect((await store.send("POST", "/pet", { json: PET })).json).toEqual({ id: 11, ...PET });
  });
});

type Migration = (typeof MIGRATIONS)[number];

/** How many rows a table of a later version has, and the migrations that were applied. */
const toysIn = async ({ object }: Own) =>
  runInDurableObject(object, (_, { storage }) => [
    storage.sql.exec("SELECT * FROM toys ORDER BY id").toArray().length,
    storage.sql
      .exec("SELECT name FROM sandbox_migrations ORDER BY name")
      .toArray()
      .map(({ name }) => name),
  ]);

describe("a store that another version left", () => {
  const later: Migration = {
    name: "9999_later",
    sql: `ALTER TABLE "pets" ADD "colour" text;
ALTER TABLE "pets" ADD "legs" integer DEFAULT 4 NOT NULL;
CREATE TABLE "toys" ("id" INTEGER PRIMARY KEY, "name" TEXT) STRICT;
INSERT INTO "toys" SELECT "id", 'ball of ' || "name" FROM "pets";`,
  };
  const migrations = MIGRATIONS as Migration[];
  const present = migrations.length;
  const NAMES = migrations.map(({ name }) => name);

  /** Wakes the object with the migrations of this version, and those of later ones. */
  async function wake({ object }: Own, ...others: readonly Migration[]): Promise<void> {
    migrations.splice(present, Infinity, ...others);
    await evictDurableObject(object);
  }

  afterEach(() => {
    migrations.splice(present);
  });

  test("is migrated when it is used next, once, and keeps what it holds §10.3.5", async () => {
    const store = await fullStore();
    const before = (await store.manage("GET", "/data")).json;
    for (let use = 0; use < 2; use++) {
      await wake(store, later);
      expect((await store.send("GET", "/pet/1")).status).toBe(200);
      expect(await toysIn(store)).toEqual([10, [...NAMES, later.name]]);
    }
    expect((await store.manage("GET", "/data")).json).toEqual(before);
  });

  test("works in the version before, and in the later one again §10.3.5", async () => {
    const store = await fullStore();
    await wake(store, later);
    const shown = async () => (await store.manage("GET", "/data")).json;
    const before = await shown();

    await wake(store);
    expect(await shown()).toEqual(before);
    const pet = { ...PET, id: 11 };
    expect((await store.send("POST", "/pet", { json: PET })).json).toEqual(pet);
    const changed = { ...pet, name: "Max" };
    expect((await store.send("PUT", "/pet", { json: changed })).status).toBe(200);
    expect((await store.send("POST", "/store/order", { json: {} })).status).toBe(200);
    expect((await store.send("POST", "/user", { json: { username: "ada" } })).status).toBe(200);
    const written = await shown();
    expect(await toysIn(store)).toEqual([10, [...NAMES, later.name]]);

    await wake(store, later);
    expect((await store.send("GET", "/pet/11")).json).toEqual(changed);
    expect(await shown()).toEqual(written);
    for (const version of [[], [later]]) {
      await wake(store, ...version);
      expect((await store.manage("PUT", "/data", { json: { data: "empty" } })).status).toBe(204);
      expect(await toysIn(store)).toEqual([0, [...NAMES, later.name]]);
    }
  });

  test("is migrated when its alarm wakes it, and ends", async () => {
    const { now, to } = stoppedClock();
    const store = await fullStore({}, { now });
    await wake(store, later);
    to(2 * DAY_MS);
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect(await leftOf(store)).toEqual(NOTHING);
  });

  test("ends when its time is over, though its migration always fails §10.3.1", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { now, to, began } = stoppedClock();
    const store = await fullStore({}, { now });
    await wake(store, { name: "9999_failing", sql: "SELECT nothing" });
    expectUnavailable(await store.send("GET", "/pet/1"));
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect(await alarmOf(store)).toBe(began + DAY_MS + 10 * MINUTE_MS);
    to(2 * DAY_MS);
    expect(await runDurableObjectAlarm(store.object)).toBe(true);
    expect(await leftOf(store)).toEqual(NOTHING);
  });

  test("has all its tables or none of the new ones: a migration that fails changes nothing §10.3.5", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const store = await fullStore();
    await wake(store, { ...later, sql: `${later.sql}\nINSERT INTO "nowhere" VALUES (1);` });
    expect((await store.send("GET", "/pet/1")).status).toBe(503);
    await wake(store);
    expect((await store.send("GET", "/pet/1")).status).toBe(200);
    await wake(store, later);
    expect((await store.send("GET", "/pet/1")).status).toBe(200);
    expect(await toysIn(store)).toEqual([10, [...NAMES, later.name]]);
  });

  test("is made beside the table that `wrangler dev` puts into each object §10.3.5", async () => {
    const store = newStore();
    await runInDurableObject(store.object, (_object, { storage }) =>
      storage.sql.exec("CREATE TABLE __miniflare_do_name (id INTEGER PRIMARY KEY, name TEXT)"),
    );
    expect((await store.send("GET", "/store/inventory")).status).toBe(200);
  });

  test.each([
    ["other tables", "DROP TABLE sandbox_migrations; ALTER TABLE sandbox RENAME TO own_store"],
    ["no list of migrations", "DROP TABLE sandbox_migrations"],
    ["other migrations", "UPDATE sandbox_migrations SET name = '0000_tables'"],
    [
      "none of the tables of the service",
      "DROP TABLE pets; DROP TABLE pet_images; DELETE FROM sandbox_migrations",
    ],
  ])(
    "is refused if no known version made it, and ends by its alarm: with %s §10.3.5",
    async (_, sql) => {
      const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const { now, to } = stoppedClock();
      const store = await fullStore({}, { now });
      await runInDurableObject(store.object, (_object, { storage }) => storage.sql.exec(sql));
      await evictDurableObject(store.object);
      expectUnavailable(await store.send("GET", "/pet/1"));
      expect(logged.mock.calls.join("\n")).toContain(
        "an unknown version of the service made the sandbox",
      );
      to(2 * DAY_MS);
      expect(await runDurableObjectAlarm(store.object)).toBe(true);
      // An upload may be in flight, so the object looks for images once more.
      await runDurableObjectAlarm(store.object);
      expect(await leftOf(store)).toEqual(NOTHING);
      expect((await store.send("GET", "/store/inventory")).status).toBe(200);
    },
  );
});
