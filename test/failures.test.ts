import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Fault } from "./bindings.ts";
import { PERMANENT, TRANSIENT, failing } from "./bindings.ts";
import type { Init } from "./client.ts";
import { createPet, createUser, logIn, placeOrder, protectedEnv, sandbox, send } from "./client.ts";

const gif = new Blob(["GIF89a;"]);

function imageForm(): FormData {
  const form = new FormData();
  form.set("file", gif, "rex.gif");
  return form;
}

type Operation = readonly [
  name: string,
  method: string,
  path: string,
  init?: Init & { readonly status?: number },
];

/** Requests by ann for her pet 1, which has a file, her order 1 and her account, in a way that both interfaces take. */
const inBoth = (base: string): Operation[] => [
  ["addPet", "POST", "/pet", { json: { name: "Max", photoUrls: [], tags: [{ name: "new" }] } }],
  ["addPet with an id", "POST", "/pet", { json: { id: 9, name: "Max", photoUrls: [] } }],
  [
    "addPet with an idempotency key",
    "POST",
    "/pet",
    { json: { name: "Max", photoUrls: [] }, headers: { "Idempotency-Key": "k" } },
  ],
  ["updatePet", "PUT", "/pet", { json: { id: 1, name: "Max", photoUrls: [], status: "sold" } }],
  ["findPetsByStatus", "GET", "/pet/findByStatus?status=available,sold&limit=9"],
  ["findPetsByTags", "GET", "/pet/findByTags?tags=dog,cat"],
  ["getPetById", "GET", "/pet/1"],
  ["deletePet", "DELETE", "/pet/1"],
  ["getInventory", "GET", "/store/inventory"],
  ["placeOrder", "POST", "/store/order", { json: { petId: 1, complete: true } }],
  ["getOrderById", "GET", "/store/order/1"],
  ["deleteOrder", "DELETE", "/store/order/1"],
  ["createUser", "POST", "/user", { json: { username: "eve", password: "secret" } }],
  [
    "createUser with a name that is taken",
    "POST",
    "/user",
    { json: { username: "ann", password: "secret", phone: "1" }, status: 409 },
  ],
  [
    "createUsersWithListInput",
    "POST",
    "/user/createWithList",
    { json: [{ username: "eve", password: "secret" }, { username: "bob" }, {}] },
  ],
  ["loginUser", "GET", "/user/login?username=ann&password=secret"],
  ["logoutUser", "GET", "/user/logout"],
  ["getUserByName", "GET", "/user/ann"],
  ["updateUser", "PUT", "/user/ann", { json: { phone: "1" } }],
  ["updateUser with another name", "PUT", "/user/ann", { json: { username: "anna" } }],
  ["updateUser with another password", "PUT", "/user/ann", { json: { password: "changed" } }],
  ["deleteUser", "DELETE", "/user/ann"],
  ...(base === "/v2" ? inV2 : inV3),
];

const inV2: readonly Operation[] = [
  ["updatePetWithForm", "POST", "/pet/1", { body: new URLSearchParams({ status: "sold" }) }],
  ["uploadFile", "POST", "/pet/1/uploadImage", { body: imageForm() }],
  ["getPetImage", "GET", "/pet/1/images/:image"],
  ["createUsersWithArrayInput", "POST", "/user/createWithArray", { json: [{ username: "eve" }] }],
];

const inV3: readonly Operation[] = [
  ["updatePetWithForm", "POST", "/pet/1?status=sold"],
  ["uploadFile", "POST", "/pet/1/uploadImage", { body: gif }],
];

const OPERATIONS = ["/v2", "/api/v3"].flatMap((base) =>
  inBoth(base).map(([name, method, path, init]) => ({
    name: `${base} ${name}`,
    method,
    path: `${base}${path}`,
    init: init ?? {},
  })),
);
type Request = (typeof OPERATIONS)[number];

const TABLES = ["users", "orders", "pets", "id_sequences"] as const;

let token = "";
let file: { readonly key: string; readonly httpMetadata?: R2HTTPMetadata } = { key: "" };
let keys: readonly string[] = [];
let initial = { kept: "", files: 0 };

const sessionKeys = async () => (await env.SESSIONS.list()).keys.map(({ name }) => name);
const files = async () => (await env.IMAGES.list()).objects.map(({ key }) => key);

/** Columns that are random, or that a write may change twice. */
const UUID = /[\da-f]{8}-[\da-f-]{27}/g;
const RANDOM = new Set(["version", "accountId", "credentialId", "sealedPassword"]);

/** The rows and the number of sessions and of files, without what is random. Every URL that a pet shows has its file. */
async function state() {
  const results = await env.DB.batch(
    ["pets", "orders", "users", "pet_tags", "inventory", "id_sequences"].map((table) =>
      env.DB.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`),
    ),
  );
  const rows = JSON.stringify(
    results.map((each) => each.results),
    (name, value: unknown) => (RANDOM.has(name) ? undefined : value),
  );
  const stored = await files();
  for (const [name] of rows.matchAll(UUID)) {
    expect(stored.some((key) => key.includes(name))).toBe(true);
  }
  const sessions = (await sessionKeys()).length;
  return { kept: `${rows.replaceAll(UUID, "<uuid>")} ${sessions}`, files: stored.length };
}

/** Makes the stores hold what they held at first. */
async function restore(): Promise<void> {
  await env.DB.batch(
    TABLES.flatMap((table) => [
      env.DB.prepare(`DELETE FROM ${table}`),
      env.DB.prepare(`INSERT INTO ${table} SELECT * FROM first_${table}`),
    ]),
  );
  const sessions = await sessionKeys();
  await Promise.all(
    sessions.filter((key) => !keys.includes(key)).map(async (key) => env.SESSIONS.delete(key)),
  );
  if (!sessions.includes(keys[0] ?? "")) token = await logInAnn();
  await Promise.all(
    (await files()).filter((key) => key !== file.key).map(async (key) => env.IMAGES.delete(key)),
  );
  await env.IMAGES.put(file.key, gif.stream(), file);
}

async function logInAnn(): Promise<string> {
  const made = await logIn({ username: "ann", password: "secret" }, { env: protectedEnv });
  keys = await sessionKeys();
  return made;
}

beforeAll(async () => {
  await createUser({ username: "ann", password: "secret" });
  token = await logInAnn();
  const at = { env: protectedEnv, headers: { Authorization: `Bearer ${token}` } };
  await createPet({ photoUrls: [], tags: [{ name: "dog" }], status: "available" }, at);
  await send("POST", "/v2/pet/1/uploadImage", { ...at, body: imageForm() });
  await placeOrder({ petId: 1 }, at);
  const [stored] = (await env.IMAGES.list({ include: ["httpMetadata"] })).objects;
  file = { key: stored?.key ?? "", httpMetadata: stored?.httpMetadata ?? {} };
  for (const table of TABLES) {
    await env.DB.exec(`CREATE TABLE first_${table} AS SELECT * FROM ${table}`);
  }
  initial = await state();
});

beforeEach(() => {
  // Waits between attempts take no time.
  vi.spyOn(Math, "random").mockReturnValue(0);
});

/** The bindings, each call of which may fail. `calls` gets the name of each. */
function watched(calls: string[], faultOf: (call: number) => Fault | undefined) {
  const watch = <Binding extends object>(name: string, binding: Binding) =>
    failing(binding, { call: (method) => faultOf(calls.push(`${name}.${method}`) - 1) });
  return {
    DB: watch("DB", env.DB),
    SESSIONS: watch("SESSIONS", env.SESSIONS),
    IMAGES: watch("IMAGES", env.IMAGES),
    REQUESTS: watch("REQUESTS", env.REQUESTS),
    LOGINS: watch("LOGINS", env.LOGINS),
    LOGINS_PER_USER: watch("LOGINS_PER_USER", env.LOGINS_PER_USER),
  };
}

/** Sends a request of ann's to a Worker whose calls may fail. */
async function run({ method, path, init }: Request, faultOf: (call: number) => Fault | undefined) {
  const calls: string[] = [];
  const answer = await send(method, path.replace(":image", file.key.split("/").at(-1) ?? ""), {
    ...init,
    env: { ...protectedEnv, ...watched(calls, faultOf) },
    headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  const after = await state();
  return { answer, text, calls, after };
}

const FAULTS = [
  { kind: "transient", when: "before", error: TRANSIENT },
  { kind: "transient", when: "after", error: TRANSIENT },
  { kind: "permanent", when: "before", error: PERMANENT },
  { kind: "permanent", when: "after", error: PERMANENT },
] as const;

/** Whether the service itself may repeat the whole request: it reads, or it replaces what is there. */
const isRepeatable = ({ method, name }: Request) =>
  method === "GET" || (method === "PUT" && !name.endsWith("another name"));

/** A limiter that fails lets requests in, and the files of a deleted pet go after the answer. */
const changesNoAnswer = ({ method }: Request, call: string) =>
  call.startsWith("REQUESTS.") || (call.startsWith("IMAGES.") && method === "DELETE");

/** A file without a URL shows nowhere, and goes with its pet. */
const mayLeaveFiles = ({ name }: Request) => /uploadFile|deletePet/.test(name);

describe("whichever call fails, a request is done or not done, and answered so:", () => {
  test.each(OPERATIONS)("$name", async (request) => {
    const { status = 200 } = request.init as { status?: number };
    await restore();
    const clean = await run(request, () => undefined);
    expect(clean.answer.status).toBe(status);
    expect(clean.calls.length).toBeGreaterThan(1);
    const done = clean.after;

    for (const [at, call] of clean.calls.entries()) {
      for (const fault of FAULTS) {
        const which = `${fault.kind} fault ${fault.when} call ${at}, ${call}`;
        await restore();
        const { answer, text, after, calls } = await run(request, (number) =>
          number === at ? fault : undefined,
        );
        expect(calls.length, which).toBeGreaterThan(at);
        expect([status, 503], which).toContain(answer.status);
        expect([initial.kept, done.kept], which).toContain(after.kept);
        if (!mayLeaveFiles(request)) expect(after.files, which).toBe(initial.files);
        if (answer.status === status) {
          expect(after.kept, which).toBe(done.kept);
          // A refusal by a UNIQUE index is an error of D1 itself, which comes first.
          if (!changesNoAnswer(request, call) && status === 200) {
            expect(fault.kind, which).toBe("transient");
          }
          if (!call.startsWith("IMAGES.")) expect(after.files, which).toBe(done.files);
        } else {
          expect(changesNoAnswer(request, call), which).toBe(false);
          expect(answer.headers.get("retry-after"), which).toMatch(/^[1-9]\d*$/);
          expect(answer.headers.get("set-cookie"), which).toBeNull();
          expect(answer.headers.get("etag"), which).toBeNull();
          expect(text, which).not.toMatch(/D1|KV|R2|network|overloaded/i);
          const isRetried = isRepeatable(request) && !call.startsWith("LOGINS");
          expect(isRetried && fault.kind === "transient", which).toBe(false);
        }
      }
    }
  });
});

describe("a transient fault that lasts", () => {
  const always = () => ({ when: "before", error: TRANSIENT }) as const;

  test.each(["/v2/pet/1", "/api/v3/store/inventory", "/v2/pet/findByTags?tags=dog"])(
    "is met five times, then answered 503: %s",
    async (path) => {
      const calls: string[] = [];
      const { DB } = watched(calls, always);
      const answer = await send("GET", path, { env: { DB } });
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      expect(calls).toHaveLength(5);
    },
  );

  test("is met once by what must not be done twice", async () => {
    const calls: string[] = [];
    const { DB } = watched(calls, always);
    const json = { name: "Rex", photoUrls: [] };
    expect((await send("POST", "/v2/pet", { json, env: { DB } })).status).toBe(503);
    expect(calls).toHaveLength(1);
  });
});

test("a creation whose answer was lost is answered with its one pet when it is repeated with its key", async () => {
  const request = {
    json: { name: "Lost", photoUrls: [], tags: ["lost"] },
    headers: { "Idempotency-Key": crypto.randomUUID() },
  };
  const { DB } = watched([], (call) =>
    call === 0 ? { when: "after", error: PERMANENT } : undefined,
  );
  expect((await send("POST", "/v2/pet", { ...request, env: { DB } })).status).toBe(503);
  const repeat = await send("POST", "/v2/pet", request);
  expect(repeat.status).toBe(200);
  const found = await send("GET", "/v2/pet/findByTags?tags=lost");
  expect(await found.json()).toEqual([await repeat.json()]);
});

test("a fault in the middle of a batch leaves nothing of it", async () => {
  await env.DB.exec(
    `CREATE TRIGGER fail_here BEFORE INSERT ON users WHEN NEW.username = 'forbidden'
     BEGIN SELECT RAISE(ABORT, 'full'); END`.replaceAll(/\s+/g, " "),
  );
  const json = [{ username: "allowed" }, { username: "forbidden" }];
  const answer = await send("POST", "/v2/user/createWithList", { json });
  await env.DB.exec("DROP TRIGGER fail_here");
  expect(answer.status).toBe(503);
  expect((await send("GET", "/v2/user/allowed")).status).toBe(404);
});

test("a long list that fails after its first pets never looks complete", async () => {
  await env.DB.exec(
    `INSERT INTO pets (id, name, photoUrls, tags) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT 1000 + i, 'Pet', '[]', '["many"]' FROM n`,
  );
  const calls: string[] = [];
  const { DB } = watched(calls, (call) =>
    call > 0 ? { when: "before", error: PERMANENT } : undefined,
  );
  const path = "/v2/pet/findByTags?tags=many";
  const all = await (await send("GET", path)).json<unknown[]>();
  expect(all).toHaveLength(1500);
  const answer = await send("GET", path, { env: { DB }, documented: false });
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
  expect(calls.length).toBeGreaterThan(1);
});

describe("a limiter that fails", () => {
  const broken: RateLimit = { limit: async () => Promise.reject(new Error("internal error")) };

  test("lets a request in, but opens nothing", async () => {
    const REQUESTS = broken;
    expect((await send("GET", "/v2/store/inventory", { env: { REQUESTS } })).status).toBe(200);
    const json = { name: "Rex", photoUrls: [] };
    const closed = await send("POST", "/v2/pet", { json, env: { ...protectedEnv, REQUESTS } });
    expect(closed.status).toBe(401);
  });

  test.each(["LOGINS", "LOGINS_PER_USER"])(
    "refuses a login before it looks at the password: %s",
    async (limiter) => {
      const user = await createUser();
      for (const password of [user.password, "wrong"]) {
        const calls: string[] = [];
        const { DB } = watched(calls, () => undefined);
        const answer = await send(
          "GET",
          `/v2/user/login?username=${user.username}&password=${password}`,
          { env: { DB, [limiter]: broken } },
        );
        expect(answer.status).toBe(503);
        expect(answer.headers.get("set-cookie")).toBeNull();
        expect(calls).toEqual([]);
      }
    },
  );
});

test.each(FAULTS)(
  "a $kind fault $when the call of a sandbox is 503, or is retried",
  async (fault) => {
    const to = sandbox();
    const { id } = await createPet({}, { base: `${to}/v2` });
    let calls = 0;
    const SANDBOXES = failing(env.SANDBOXES, {
      call: () => (calls++ === 0 ? fault : undefined),
    });
    const answer = await send("GET", `${to}/v2/pet/${id}`, { env: { SANDBOXES } });
    expect(calls).toBeGreaterThan(0);
    expect([200, 503]).toContain(answer.status);
    if (answer.status === 503) expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(fault.kind === "permanent" && answer.status === 200).toBe(false);
  },
);
