import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { collectOperations } from "../src/http/operation.ts";
import { v2 } from "../src/v2.ts";
import { failing } from "./bindings.ts";
import {
  createPet,
  createUser,
  formOf,
  logIn,
  placeOrder,
  protectedEnv,
  send,
  uniqueName,
  type Init,
  type ShownPet,
} from "./client.ts";

/** The number of rows in each table. A request that scans a table reads this many. */
const ROWS = 5000;

/** An ID above all generated IDs. */
const FIRST = 100_000;

beforeAll(async () => {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
  await env.DB.batch(
    [
      // Scattered IDs, as if chosen by clients.
      `INSERT INTO pets (id, name, photoUrls, tags, status) ${numbers}
       SELECT ${FIRST} + i * 2, 'pet ' || i, '[]', '["dog",{"name":"good"}]',
         iif(i % 3 = 0, 'sold', iif(i % 3 = 1, 'pending', 'available')) FROM n`,
      `INSERT INTO orders (id, quantity) ${numbers} SELECT ${FIRST} + i * 2, i FROM n`,
      `INSERT INTO users (id, username, credentialId) ${numbers}
       SELECT ${FIRST} + i * 2, 'filled ' || i, 'c' FROM n`,
    ].map((sql) => env.DB.prepare(sql)),
  );
});

/** Sends a request and counts the calls to bindings. A call to D1 is a statement or a batch. */
async function measure(method: string, path: string, init: Init = {}) {
  const calls: string[] = [];
  let [read, written] = [0, 0];
  const watch = <Binding extends object>(name: string, binding: Binding) =>
    failing(binding, {
      call: () => void calls.push(name),
      result: (result) => {
        for (const each of [result].flat() as ({ meta?: D1Meta } | null)[]) {
          read += each?.meta?.rows_read ?? 0;
          written += each?.meta?.rows_written ?? 0;
        }
      },
    });
  const DB = watch("D1", env.DB);
  const [SESSIONS, IMAGES] = [watch("KV", env.SESSIONS), watch("R2", env.IMAGES)];
  const response = await send(method, path, { ...init, env: { ...init.env, DB, SESSIONS, IMAGES } });
  // A streamed list runs its queries while the client reads.
  const text = await response.text();
  return { status: response.status, calls: calls.join(" "), read, written, text };
}

const pet = { name: "Rex", photoUrls: [], tags: [{ name: "dog" }], status: "sold" };

const imageForm = () => formOf({ file: new Blob(["GIF89a;"]) });
const named = () => ({ username: uniqueName() });
const hundred = () => Array.from({ length: 100 }, named);

/** Creates pet 1 with an image, order 1, and a user. */
async function make() {
  await env.DB.exec("DELETE FROM orders WHERE id <= 10");
  await send("DELETE", "/v2/pet/1");
  await createPet({ ...pet, id: 1 });
  await send("POST", "/v2/pet/1/uploadImage", { body: imageForm() });
  const { headers, body } = await send("GET", "/v2/pet/1");
  const { photoUrls } = await new Response(body).json<ShownPet>();
  await placeOrder();
  const user = await createUser();
  return {
    user: `/v2/user/${user.username}`,
    login: `/v2/user/login?username=${user.username}&password=secret`,
    session: { headers: { Authorization: `Bearer ${await logIn(user)}` } },
    image: new URL(String(photoUrls), "http://petstore.test").pathname,
    ifMatch: { headers: { "If-Match": headers.get("etag") ?? "" } },
  };
}
type Made = Awaited<ReturnType<typeof make>>;
type Request = readonly [method: string, path: string, init?: Init];

const key = () => ({ "Idempotency-Key": uniqueName() });
const nameForm = () => new URLSearchParams({ name: "Max" });

const changed = { ...pet, id: 1, tags: ["other"], status: "pending" };

/** What is measured begins with an `operationId`. */
const OPERATIONS: readonly [what: string, calls: string, mostRead: number, request: (of: Made) => Request][] = [
  ["addPet", "D1", 60, () => ["POST", "/v2/pet", { json: pet }]],
  ["addPet with a key", "D1", 60, () => ["POST", "/v2/pet", { json: pet, headers: key() }]],
  ["addPet, ID in use", "D1 D1", 60, () => ["POST", "/v2/pet", { json: { ...pet, id: 1 } }]],
  ["updatePet", "D1", 60, () => ["PUT", "/v2/pet", { json: changed }]],
  ["updatePet, If-Match", "D1", 60, (of) => ["PUT", "/v2/pet", { json: changed, ...of.ifMatch }]],
  ["getPetById", "D1", 2, () => ["GET", "/v2/pet/1"]],
  ["updatePetWithForm", "D1", 60, () => ["POST", "/v2/pet/1", { body: nameForm() }]],
  ["uploadFile", "D1 R2 D1", 60, () => ["POST", "/v2/pet/1/uploadImage", { body: imageForm() }]],
  ["getPetImage", "R2", 0, (of) => ["GET", of.image]],
  ["deletePet", "D1 R2 R2", 60, () => ["DELETE", "/v2/pet/1"]],
  ["getInventory", "D1", 3, () => ["GET", "/v2/store/inventory"]],
  ["placeOrder", "D1", 60, () => ["POST", "/v2/store/order", { json: {} }]],
  ["getOrderById", "D1", 2, () => ["GET", "/v2/store/order/1"]],
  ["deleteOrder", "D1", 10, () => ["DELETE", "/v2/store/order/1"]],
  ["createUser", "D1", 40, () => ["POST", "/v2/user", { json: named() }]],
  ["createUsersWithArrayInput", "D1", 80, () => ["POST", "/v2/user/createWithArray", { json: [named()] }]],
  ["createUsersWithListInput of 100", "D1", 2000, () => ["POST", "/v2/user/createWithList", { json: hundred() }]],
  ["loginUser", "D1 KV", 5, (of) => ["GET", of.login]],
  ["logoutUser", "KV", 0, (of) => ["GET", "/v2/user/logout", of.session]],
  ["getUserByName", "D1", 3, (of) => ["GET", of.user]],
  ["updateUser", "D1 D1", 40, (of) => ["PUT", of.user, { json: { password: "changed" } }]],
  ["updateUser, another name", "D1 D1", 40, (of) => ["PUT", of.user, { json: named() }]],
  ["deleteUser", "D1", 40, (of) => ["DELETE", of.user]],
  [
    "addPet with a session",
    "KV D1 D1",
    60,
    (of) => ["POST", "/v2/pet", { json: pet, ...of.session, env: protectedEnv }],
  ],
];

describe("with 5,000 rows in each table, an operation needs few calls and reads few rows:", () => {
  test.each(OPERATIONS)("%s: %s, at most %i rows", async (_, calls, mostRead, request) => {
    const cost = await measure(...request(await make()));
    expect(cost.status).toBeLessThan(500);
    expect(cost.calls).toBe(calls);
    expect(cost.read).toBeLessThanOrEqual(mostRead);
    expect(cost.written).toBeLessThan(1000);
  });
});

describe("skipping 5,000 consecutive client-chosen IDs happens once and reads two rows per ID:", () => {
  test.each<[table: string, columns: string, values: string, request: Request]>([
    ["pets", "name, photoUrls", "'pet', '[]'", ["POST", "/v2/pet", { json: pet }]],
    ["orders", "quantity", "1", ["POST", "/v2/store/order", { json: {} }]],
    ["users", "credentialId", "'c'", ["POST", "/v2/user", { json: {} }]],
  ])("%s", async (table, columns, values, request) => {
    await env.DB.exec("DELETE FROM orders WHERE id <= 10");
    for (let id = 1; id <= 10; id++) await placeOrder({ id });
    const next = await env.DB.prepare("SELECT next FROM id_sequences WHERE resource = ?").bind(table).first("next");
    await env.DB.exec(
      `INSERT INTO ${table} (id, ${columns}) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) SELECT ${String(next)} + i, ${values} FROM n`,
    );
    const [passing, later] = [await measure(...request), await measure(...request)];
    expect([passing.status, later.status]).toEqual([200, 200]);
    expect(passing.read).toBeGreaterThan(2 * ROWS);
    expect(passing.read).toBeLessThan(2 * ROWS + 60);
    expect(later.read).toBeLessThan(60);
    expect(later.text).toContain(String(Number(next) + ROWS + 1));
  });
});

const PAGES = [
  ["findPetsByStatus, one", "findByStatus?status=sold", 250],
  ["findPetsByStatus, three", "findByStatus?status=sold,pending,available", 650],
  ["findPetsByTags, one", "findByTags?tags=dog", 350],
  ["findPetsByTags, two tags that all pets have", "findByTags?tags=dog,good", 650],
  ["findPetsByStatus, the end of the list", `findByStatus?status=sold&after=${FIRST + 2 * ROWS - 20}`, 50],
  ["findPetsByTags, a tag that no pet has", "findByTags?tags=none", 5],
] as const;

test("the tables have every operation of /v2", () => {
  const measured = [...OPERATIONS, ...PAGES].map(([what]) => what.split(/\W/, 1)[0]);
  const routed = collectOperations(v2.routes).map(({ operationId }) => operationId);
  expect(new Set(measured)).toEqual(new Set(routed));
});

describe("with 5,000 pets, a page of 100 reads a few rows per pet:", () => {
  test.each(PAGES)("%s", async (_, query, mostRead) => {
    const page = await measure("GET", `/v2/pet/${query}&limit=100`);
    expect(page.calls).toBe("D1");
    expect(page.read).toBeLessThanOrEqual(mostRead);
  });

  test("the complete list reads each pet once", async () => {
    const list = await measure("GET", "/v2/pet/findByStatus?status=sold");
    const { length } = JSON.parse(list.text) as unknown[];
    expect(length).toBeGreaterThan(1600);
    expect(list.read).toBeLessThan(3 * length);
  });
});

test.each<[method: string, path: string, init?: Init]>([
  ["POST", "/v2/pet", { json: { name: "" } }],
  ["GET", "/v2/pet/abc"],
  ["POST", "/v2/store/order", { json: { quantity: -1 } }],
  ["POST", "/v2/user", { json: { username: "" } }],
  ["GET", "/v2/user/%20"],
  ["POST", "/api/v3/pet", { json: { name: 1 } }],
  ["GET", "/health"],
  ["POST", "/v2/pet", { json: pet, env: { ACCESS: "protected" } }],
])("an invalid request needs no calls to bindings: %s %s", async (method, path, init?: Init) => {
  expect((await measure(method, path, init)).calls).toBe("");
});
