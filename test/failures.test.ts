import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { PERMANENT, TRANSIENT, failing, type Fault } from "./bindings.ts";
import { createPet, createUser, formOf, logIn, placeOrder, protectedEnv, sandbox, send, type Init } from "./client.ts";

const gif = new Blob(["GIF89a;"]);

type Operation = readonly [name: string, method: string, path: string, init?: Init];

const max = { name: "Max", photoUrls: [], tags: [{ name: "new" }], status: "sold" };
const eve = { username: "eve", password: "secret" };
const keyed = { "Idempotency-Key": "k" };
const unchanged = { "If-Match": ":etag" };

/** Ann's requests. She owns pet 1, which has a file, and order 1. */
const OF_BOTH: readonly Operation[] = [
  ["addPet", "POST", "/pet", { json: max }],
  ["addPet with an id", "POST", "/pet", { json: { ...max, id: 9 } }],
  ["addPet with a key", "POST", "/pet", { json: max, headers: keyed }],
  ["updatePet", "PUT", "/pet", { json: { ...max, id: 1 } }],
  ["updatePet if unchanged", "PUT", "/pet", { json: { ...max, id: 1 }, headers: unchanged }],
  ["findPetsByStatus", "GET", "/pet/findByStatus?status=available,sold&limit=9"],
  ["findPetsByTags", "GET", "/pet/findByTags?tags=dog,cat"],
  ["getPetById", "GET", "/pet/1"],
  ["deletePet", "DELETE", "/pet/1"],
  ["getInventory", "GET", "/store/inventory"],
  ["placeOrder", "POST", "/store/order", { json: { petId: 1, complete: true } }],
  ["placeOrder with a key", "POST", "/store/order", { json: {}, headers: keyed }],
  ["getOrderById", "GET", "/store/order/1"],
  ["deleteOrder", "DELETE", "/store/order/1"],
  ["createUser", "POST", "/user", { json: eve }],
  ["createUser again", "POST", "/user", { json: { ...eve, username: "ann" } }],
  ["createUsersWithListInput", "POST", "/user/createWithList", { json: [eve, { id: 9 }, {}] }],
  ["loginUser", "GET", "/user/login?username=ann&password=secret"],
  ["logoutUser", "GET", "/user/logout"],
  ["getUserByName", "GET", "/user/ann"],
  ["updateUser", "PUT", "/user/ann", { json: { phone: "1" } }],
  ["updateUser with another name", "PUT", "/user/ann", { json: { username: "anna" } }],
  ["updateUser with another password", "PUT", "/user/ann", { json: { password: "changed" } }],
  ["deleteUser", "DELETE", "/user/ann"],
];
const V2: readonly Operation[] = [
  ...OF_BOTH,
  ["updatePetWithForm", "POST", "/pet/1", { body: new URLSearchParams({ status: "sold" }) }],
  ["uploadFile", "POST", "/pet/1/uploadImage", { body: formOf({ file: gif }) }],
  ["getPetImage", "GET", "/pet/1/images/:image"],
  ["createUsersWithArrayInput", "POST", "/user/createWithArray", { json: [eve] }],
];
const V3: readonly Operation[] = [
  ...OF_BOTH,
  ["updatePetWithForm", "POST", "/pet/1?status=sold"],
  ["uploadFile", "POST", "/pet/1/uploadImage", { body: gif }],
];

const OPERATIONS = Object.entries({ "/v2": V2, "/api/v3": V3 }).flatMap(([base, operations]) =>
  operations.map(([name, method, path, init = {}]) => ({ name: `${base} ${name}`, method, path: base + path, init })),
);
type Request = (typeof OPERATIONS)[number];

const TABLES = ["users", "orders", "pets", "id_sequences"] as const;

let token = "";
let etag = "";
let session = { key: "", value: "" };
let file = { key: "", httpMetadata: {} };
let initial = { kept: "", files: 0 };

const sessionKeys = async () => (await env.SESSIONS.list()).keys.map(({ name }) => name);
const files = async () => (await env.IMAGES.list()).objects.map(({ key }) => key);

const UUID = /[\da-f]{8}-[\da-f-]{27}/g;
/** Columns with random values, or that a repeated write changes twice. */
const RANDOM = new Set(["version", "accountId", "credentialId", "sealedPassword"]);

/** Returns all rows without random values, and the number of sessions and files. Checks that every photo URL has a file. */
async function state() {
  const tables = ["pets", "orders", "users", "pet_tags", "inventory", "id_sequences"];
  const [results, sessions, stored] = await Promise.all([
    env.DB.batch(tables.map((name) => env.DB.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`))),
    sessionKeys(),
    files(),
  ]);
  const rows = JSON.stringify(
    results.map((each) => each.results),
    (name, value: unknown) => (RANDOM.has(name) ? undefined : value),
  );
  for (const [name] of rows.matchAll(UUID)) expect(stored.join()).toContain(name);
  return { kept: `${rows.replaceAll(UUID, "<uuid>")} ${sessions.length}`, files: stored.length };
}

/** Restores the initial data. */
async function restore(): Promise<void> {
  const [sessions, stored] = await Promise.all([
    sessionKeys(),
    files(),
    env.DB.batch(
      TABLES.flatMap((table) => [
        env.DB.prepare(`DELETE FROM ${table}`),
        env.DB.prepare(`INSERT INTO ${table} SELECT * FROM first_${table}`),
      ]),
    ),
  ]);
  const more = sessions.filter((key) => key !== session.key);
  await Promise.all([
    ...more.map(async (key) => env.SESSIONS.delete(key)),
    env.IMAGES.delete(stored.filter((key) => key !== file.key)),
    ...(sessions.includes(session.key) ? [] : [env.SESSIONS.put(session.key, session.value)]),
    ...(stored.includes(file.key) ? [] : [env.IMAGES.put(file.key, "GIF89a;", file)]),
  ]);
}

beforeAll(async () => {
  await createUser({ username: "ann", password: "secret" });
  token = await logIn({ username: "ann", password: "secret" });
  const [key = ""] = await sessionKeys();
  session = { key, value: (await env.SESSIONS.get(key)) ?? "" };
  const at = { env: protectedEnv, headers: { Authorization: `Bearer ${token}` } };
  await createPet({ photoUrls: [], tags: [{ name: "dog" }], status: "available" }, at);
  await send("POST", "/v2/pet/1/uploadImage", { ...at, body: formOf({ file: gif }) });
  etag = (await send("GET", "/v2/pet/1")).headers.get("etag") ?? "";
  await placeOrder({ petId: 1 }, at);
  const [stored] = (await env.IMAGES.list({ include: ["httpMetadata"] })).objects;
  file = { key: stored?.key ?? "", httpMetadata: stored?.httpMetadata ?? {} };
  for (const table of TABLES) {
    await env.DB.exec(`CREATE TABLE first_${table} AS SELECT * FROM ${table}`);
  }
  initial = await state();
});

beforeEach(() => {
  // Retries do not wait.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A limiter that allows everything. */
const limiter: RateLimit = { limit: async () => ({ success: true }) };

/** Wraps the bindings so that each call can fail. Appends the name of each call to `calls`. */
function watched(calls: string[], faultOf: (call: number) => Fault | undefined) {
  const watch = <Binding extends object>(name: string, binding: Binding) =>
    failing(binding, { call: (method) => faultOf(calls.push(`${name}.${method}`) - 1) });
  return {
    DB: watch("DB", env.DB),
    SESSIONS: watch("SESSIONS", env.SESSIONS),
    IMAGES: watch("IMAGES", env.IMAGES),
    // Its failures have no effect. The real limit is lower than the number of these requests.
    REQUESTS: limiter,
    LOGINS: watch("LOGINS", limiter),
    LOGINS_PER_USER: watch("LOGINS_PER_USER", limiter),
  };
}

/** Sends a request as ann, with calls that can fail. */
async function run({ method, path, init }: Request, faultOf: (call: number) => Fault | undefined) {
  const calls: string[] = [];
  const headers = new Headers(init.headers);
  if (headers.has("If-Match")) headers.set("If-Match", etag);
  headers.set("Authorization", `Bearer ${token}`);
  const to = path.replace(":image", file.key.split("/").at(-1) ?? "");
  const bindings = watched(calls, faultOf);
  const response = await send(method, to, {
    ...init,
    headers,
    env: { ...protectedEnv, RATE_LIMITS: "on", ...bindings },
  });
  return { response, text: await response.text(), calls, ...(await state()) };
}

const FAULTS = [
  { kind: "transient", when: "before", error: TRANSIENT },
  { kind: "transient", when: "after", error: TRANSIENT },
  { kind: "permanent", when: "before", error: PERMANENT },
  { kind: "permanent", when: "after", error: PERMANENT },
] as const;

/** Whether the service can safely retry the whole request, because it is a read or a replacement. */
const isRepeatable = ({ method, name }: Request) =>
  method === "GET" || (method === "PUT" && !/another name|if unchanged/.test(name));

/** Whether a failed call cannot affect the response: a deleted pet's files are deleted after it. */
const isAfterResponse = ({ method }: Request, call: string) => call.startsWith("IMAGES.") && method === "DELETE";

/** Whether a failure may leave a file without a URL. It is not visible, and is deleted with its pet. */
const mayLeaveFiles = ({ name }: Request) => /uploadFile|deletePet/.test(name);

describe("whichever call fails, a request either takes effect or not, and the response says so:", () => {
  test.each(OPERATIONS)("$name", async (request) => {
    await restore();
    const done = await run(request, () => undefined);
    expect(done.response.status).toBe(200);
    const cases = done.calls.flatMap((call, at) => FAULTS.map((fault) => ({ call, at, fault })));
    expect(cases).not.toEqual([]);
    for (const { call, at, fault } of cases) {
      const which = `${fault.kind} fault ${fault.when} call ${at}, ${call}`;
      await restore();
      const found = await run(request, (number) => (number === at ? fault : undefined));
      const { status, headers } = found.response;
      expect([200, 503], which).toContain(status);
      expect([initial.kept, done.kept], which).toContain(found.kept);
      if (!mayLeaveFiles(request)) expect(found.files, which).toBe(initial.files);
      if (isAfterResponse(request, call)) expect(status, which).toBe(200);
      else if (fault.kind === "permanent") expect(status, which).toBe(503);
      else if (isRepeatable(request)) expect(status, which).toBe(200);
      if (status === 200) {
        expect(found.kept, which).toBe(done.kept);
        if (!call.startsWith("IMAGES.")) expect(found.files, which).toBe(done.files);
      } else {
        expect(headers.get("retry-after"), which).toMatch(/^[1-9]\d*$/);
        expect([headers.get("set-cookie"), headers.get("etag")], which).toEqual([null, null]);
        expect(found.text, which).not.toMatch(/D1|KV|R2|network|overloaded/i);
      }
    }
  });
});

test.each(["/v2/pet/1", "/api/v3/store/inventory", "/v2/pet/findByTags?tags=dog"])(
  "a transient error that persists returns 503 after five attempts: %s",
  async (path) => {
    const calls: string[] = [];
    const { DB } = watched(calls, () => FAULTS[0]);
    const response = await send("GET", path, { env: { DB } });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(calls).toHaveLength(5);
  },
);

test("a retry with the same idempotency key, after the response was lost, returns the pet that was created", async () => {
  const request = {
    json: { name: "Lost", photoUrls: [], tags: ["lost"] },
    headers: { "Idempotency-Key": crypto.randomUUID() },
  };
  const { DB } = watched([], (call) => (call === 0 ? { when: "after", error: PERMANENT } : undefined));
  expect((await send("POST", "/v2/pet", { ...request, env: { DB } })).status).toBe(503);
  const repeat = await send("POST", "/v2/pet", request);
  expect(repeat.status).toBe(200);
  const found = await send("GET", "/v2/pet/findByTags?tags=lost");
  expect(await found.json()).toEqual([await repeat.json()]);
});

test("an error in the middle of a batch leaves no partial writes", async () => {
  await env.DB.exec(
    `CREATE TRIGGER fail_here BEFORE INSERT ON users WHEN NEW.username = 'forbidden'
     BEGIN SELECT RAISE(ABORT, 'full'); END`.replaceAll(/\s+/g, " "),
  );
  const json = [{ username: "allowed" }, { username: "forbidden" }];
  const response = await send("POST", "/v2/user/createWithList", { json });
  await env.DB.exec("DROP TRIGGER fail_here");
  expect(response.status).toBe(500);
  expect((await send("GET", "/v2/user/allowed")).status).toBe(404);
});

test("a long list that fails after its first pets does not look complete", async () => {
  await env.DB.exec(
    `INSERT INTO pets (id, name, photoUrls, tags) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT 1000 + i, 'Pet', '[]', '["many"]' FROM n`,
  );
  const calls: string[] = [];
  const { DB } = watched(calls, (call) => (call > 0 ? { when: "before", error: PERMANENT } : undefined));
  const path = "/v2/pet/findByTags?tags=many";
  const all = await (await send("GET", path)).json<unknown[]>();
  expect(all).toHaveLength(1500);
  const response = await send("GET", path, { env: { DB }, documented: false });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("failed");
  expect(calls.length).toBeGreaterThan(1);
});

test.each(FAULTS)("a $kind error $when the call to a sandbox returns 503, or is retried", async (fault) => {
  const to = sandbox();
  const { id } = await createPet({}, { base: `${to}/v2` });
  let calls = 0;
  const SANDBOXES = failing(env.SANDBOXES, { call: () => (calls++ === 0 ? fault : undefined) });
  const response = await send("GET", `${to}/v2/pet/${id}`, { env: { SANDBOXES } });
  expect(calls).toBeGreaterThan(0);
  expect([200, 503]).toContain(response.status);
  if (response.status === 503) expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  expect(fault.kind === "permanent" && response.status === 200).toBe(false);
});

/** Errors of D1 and workerd that a bug in the service causes. */
const BUGS = [
  new Error("D1_ERROR: no such table: pets: SQLITE_ERROR"),
  new Error("D1_ERROR: CHECK constraint failed: pets_name: SQLITE_CONSTRAINT"),
  new Error("a batch failed", { cause: new Error("datatype mismatch: SQLITE_MISMATCH") }),
  new Error("D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'"),
  new TypeError("x is not a function"),
  new RangeError("Invalid array length"),
  new ReferenceError("x is not defined"),
];

/** Errors of the database itself, including codes that resemble SQL errors. */
const OUTAGES = [
  new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long."),
  new Error("D1_ERROR: database is locked: SQLITE_BUSY"),
  new Error("D1_ERROR: disk I/O error: SQLITE_IOERR"),
  new Error("the database is gone"),
];

describe("with open access, if the database fails", () => {
  const requests = OPERATIONS.filter(({ name }) => !/logout|getPetImage/.test(name));

  test.each(requests)("a bug returns 500, and an outage 503: $name", async ({ method, path, init }) => {
    await restore();
    for (const error of [...BUGS, ...OUTAGES]) {
      const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const DB = failing(env.DB, { call: () => ({ when: "before", error }) });
      const { status, headers } = await send(method, path, { ...init, headers: {}, env: { DB } });
      const isOutage = OUTAGES.includes(error);
      expect([error, status, headers.has("retry-after")]).toEqual([error, isOutage ? 503 : 500, isOutage]);
      const { message } = error.cause instanceof Error ? error.cause : error;
      expect(lines.mock.lastCall?.join()).toContain(message);
    }
  });
});

test.each(["/v2/store/inventory", "/api/v3/pet/findByTags?tags=dog"])(
  "a missing table returns 500, and the log names the table: %s",
  async (path) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await env.DB.exec("ALTER TABLE inventory RENAME TO gone_inventory");
    await env.DB.exec("ALTER TABLE pet_tags RENAME TO gone_pet_tags");
    const response = await send("GET", path);
    await env.DB.exec("ALTER TABLE gone_inventory RENAME TO inventory");
    await env.DB.exec("ALTER TABLE gone_pet_tags RENAME TO pet_tags");
    expect([response.status, response.headers.get("retry-after")]).toEqual([500, null]);
    expect(log.mock.calls.flat().join(" ")).toMatch(/no such table: (?:inventory|pet_tags)/);
  },
);

describe.each<[binding: "SESSIONS" | "IMAGES" | "SANDBOXES", method: string, path: string, init: Init]>([
  ["SESSIONS", "GET", "/v2/user/login?username=ann&password=secret", {}],
  ["IMAGES", "POST", "/v2/pet/1/uploadImage", { body: formOf({ file: gif }) }],
  ["SANDBOXES", "GET", `${sandbox()}/v2/store/inventory`, {}],
])("a failed call to %s", (binding, method, path, init) => {
  test.each([
    ["returns 503 if the binding is unreachable", new Error("internal error; reference = 0123"), 503],
    ["returns 500 if the call is invalid", new TypeError("Incorrect type"), 500],
  ])("%s", async (_, error, status) => {
    await restore();
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const bindings = { [binding]: failing(env[binding], { call: () => ({ when: "before", error }) }) };
    const response = await send(method, path, { ...init, env: bindings });
    expect([response.status, response.headers.has("retry-after")]).toEqual([status, status === 503]);
    expect(log.mock.calls.flat().join()).toContain(error.message);
  });
});

test("an SQL error in a sandbox returns 500 and leaves no partial writes", async () => {
  const name = crypto.randomUUID();
  const base = `/sandboxes/${name}/v2`;
  await createPet({}, { base });
  await runInDurableObject(env.SANDBOXES.getByName(name), (_, { storage }) => storage.sql.exec("DROP TABLE pet_tags"));
  const response = await send("POST", `${base}/pet`, { json: { ...max, status: "pending" } });
  expect([response.status, response.headers.get("retry-after")]).toEqual([500, null]);
  expect(await (await send("GET", `${base}/store/inventory`)).json()).toMatchObject({ pending: 0 });
});
