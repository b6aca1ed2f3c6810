import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { failing } from "./bindings.ts";
import type { Init, ShownPet } from "./client.ts";
import {
  createPet,
  createUser,
  logIn,
  placeOrder,
  protectedEnv,
  send,
  uniqueName,
} from "./client.ts";

/** The rows of each table. A request that read a table would read that many. */
const ROWS = 5000;

/** Above the generated ids. */
const FIRST = 100_000;

beforeAll(async () => {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
  await env.DB.batch(
    [
      // Ids that clients chose here and there.
      `INSERT INTO pets (id, name, photoUrls, tags, status) ${numbers}
       SELECT ${FIRST} + i * 2, 'pet ' || i, '[]', '["dog",{"name":"good"}]',
         iif(i % 3 = 0, 'sold', iif(i % 3 = 1, 'pending', 'available')) FROM n`,
      `INSERT INTO orders (id, quantity) ${numbers} SELECT ${FIRST} + i * 2, i FROM n`,
      `INSERT INTO users (id, username, credentialId) ${numbers}
       SELECT ${FIRST} + i * 2, 'filled ' || i, 'c' FROM n`,
    ].map((sql) => env.DB.prepare(sql)),
  );
});

/** Sends a request to a Worker whose calls are counted. */
async function measure(method: string, path: string, init: Init = {}) {
  const calls: string[] = [];
  let [read, written] = [0, 0];
  const watch = <Binding extends object>(name: string, binding: Binding) =>
    failing(binding, {
      call: () => void calls.push(name),
      result: (result) => {
        for (const each of [result].flat() as ({ meta?: D1Meta } | null | undefined)[]) {
          read += each?.meta?.rows_read ?? 0;
          written += each?.meta?.rows_written ?? 0;
        }
      },
    });
  const DB = watch("D1", env.DB);
  const [SESSIONS, IMAGES] = [watch("KV", env.SESSIONS), watch("R2", env.IMAGES)];
  const answer = await send(method, path, { ...init, env: { ...init.env, DB, SESSIONS, IMAGES } });
  // A streamed list asks while it is read.
  const text = await answer.text();
  return { status: answer.status, calls: calls.join(" "), read, written, text };
}

const pet = {
  name: "Rex",
  photoUrls: [],
  tags: [{ name: "dog" }, { name: "good" }],
  status: "sold",
};

const imageForm = () => {
  const form = new FormData();
  form.set("file", new Blob(["GIF89a;"]), "rex.gif");
  return form;
};

const petPath = async () => `/v2/pet/${(await createPet(pet)).id}`;
const userPath = async () => `/v2/user/${(await createUser()).username}`;
const orderPath = async () => {
  await env.DB.exec("DELETE FROM orders WHERE id <= 10");
  return `/v2/store/order/${(await placeOrder()).id}`;
};
const etagOf = async (path: string) => (await send("GET", path)).headers.get("etag") ?? "";

type Request = readonly [method: string, path: string, init?: Init];

/** Requests, their calls (one to D1 is a statement or a batch), and the most rows that they may read. */
const COSTS: readonly (readonly [
  what: string,
  calls: string,
  mostRead: number,
  request: () => Request | Promise<Request>,
])[] = [
  ["addPet", "D1", 60, () => ["POST", "/v2/pet", { json: pet }]],
  ["addPet with an id", "D1", 60, () => ["POST", "/v2/pet", { json: { ...pet, id: 77_001 } }]],
  [
    "addPet with an idempotency key",
    "D1",
    60,
    () => ["POST", "/v2/pet", { json: pet, headers: { "Idempotency-Key": uniqueName() } }],
  ],
  [
    "addPet again",
    "D1 D1",
    60,
    async () => ["POST", "/v2/pet", { json: { ...pet, id: (await createPet(pet)).id } }],
  ],
  [
    "updatePet",
    "D1",
    60,
    async () => ["PUT", "/v2/pet", { json: { ...(await createPet(pet)), tags: ["other"] } }],
  ],
  [
    "updatePet under an ETag",
    "D1",
    60,
    async () => {
      const shown = await createPet(pet);
      const headers = { "If-Match": await etagOf(`/v2/pet/${shown.id}`) };
      return ["PUT", "/v2/pet", { json: { ...shown, status: "pending" }, headers }];
    },
  ],
  ["getPetById", "D1", 2, async () => ["GET", await petPath()]],
  ["getPetById of none", "D1", 2, () => ["GET", "/v2/pet/99999"]],
  ["updatePetWithForm", "D1", 60, async () => ["POST", await petPath(), { body: form("Max") }]],
  [
    "uploadFile",
    "D1 R2 D1 D1",
    60,
    async () => ["POST", `${await petPath()}/uploadImage`, { body: imageForm() }],
  ],
  [
    "uploadFile to none",
    "D1",
    2,
    () => ["POST", "/v2/pet/99999/uploadImage", { body: imageForm() }],
  ],
  [
    "getPetImage",
    "R2",
    0,
    async () => {
      const path = await petPath();
      await send("POST", `${path}/uploadImage`, { body: imageForm() });
      const { photoUrls } = await (await send("GET", path)).json<ShownPet>();
      return ["GET", new URL(String(photoUrls), "http://petstore.test").pathname];
    },
  ],
  ["deletePet", "D1 R2", 60, async () => ["DELETE", await petPath()]],
  ["getInventory", "D1", 3, () => ["GET", "/v2/store/inventory"]],
  ["placeOrder", "D1", 60, () => ["POST", "/v2/store/order", { json: {} }]],
  ["getOrderById", "D1", 2, async () => ["GET", await orderPath()]],
  ["deleteOrder", "D1", 10, async () => ["DELETE", await orderPath()]],
  ["createUser", "D1", 40, () => ["POST", "/v2/user", { json: { username: uniqueName() } }]],
  [
    "createUsersWithListInput of a hundred",
    "D1",
    2000,
    () => ["POST", "/v2/user/createWithList", { json: hundredUsers() }],
  ],
  [
    "loginUser",
    "D1 KV",
    5,
    async () => ["GET", `/v2/user/login?username=${(await createUser()).username}&password=secret`],
  ],
  ["loginUser by nobody", "D1", 5, () => ["GET", "/v2/user/login?username=nobody&password=x"]],
  [
    "logoutUser",
    "KV",
    0,
    async () => {
      const token = await logIn(await createUser());
      return ["GET", "/v2/user/logout", { headers: { Authorization: `Bearer ${token}` } }];
    },
  ],
  ["getUserByName", "D1", 3, async () => ["GET", await userPath()]],
  ["updateUser", "D1 D1", 40, async () => ["PUT", await userPath(), { json: { phone: "1" } }]],
  [
    "updateUser with another name",
    "D1 D1",
    40,
    async () => ["PUT", await userPath(), { json: { username: uniqueName() } }],
  ],
  ["deleteUser", "D1", 40, async () => ["DELETE", await userPath()]],
  [
    "addPet with a session",
    "KV D1 D1",
    60,
    async () => {
      const token = await logIn(await createUser());
      const headers = { Authorization: `Bearer ${token}` };
      return ["POST", "/v2/pet", { json: pet, headers, env: protectedEnv }];
    },
  ],
];

function form(name: string) {
  return new URLSearchParams({ name });
}

function hundredUsers() {
  return Array.from({ length: 100 }, () => ({ username: uniqueName() }));
}

describe("with 5,000 rows in each table, an operation makes few calls and reads few rows:", () => {
  test.each(COSTS)("%s: %s, at most %i rows", async (_, calls, mostRead, request) => {
    const cost = await measure(...(await request()));
    expect(cost.status).toBeLessThan(405);
    expect({ calls: cost.calls, read: cost.read <= mostRead ? mostRead : cost.read }).toEqual({
      calls,
      read: mostRead,
    });
    expect(cost.written).toBeLessThan(1000);
  });
});

describe("with 5,000 pets, a page of 100 reads some rows for each of its pets:", () => {
  test.each([
    ["one status", "findByStatus?status=sold", 250],
    ["three statuses", "findByStatus?status=sold,pending,available", 650],
    ["one tag", "findByTags?tags=dog", 350],
    ["two tags that all pets have", "findByTags?tags=dog,good", 650],
    ["the end of the list", `findByStatus?status=sold&after=${FIRST + 2 * ROWS - 20}`, 50],
    ["a tag that no pet has", "findByTags?tags=none", 5],
  ])("%s", async (_, query, mostRead) => {
    const page = await measure("GET", `/v2/pet/${query}&limit=100`);
    expect(page.calls).toBe("D1");
    expect(page.read).toBeLessThanOrEqual(mostRead);
  });

  test("and a whole list reads them once", async () => {
    const list = await measure("GET", "/v2/pet/findByStatus?status=sold");
    const count = (JSON.parse(list.text) as unknown[]).length;
    expect(count).toBeGreaterThan(1600);
    expect(list.read).toBeLessThan(3 * count);
  });
});

test("a request that is refused for what it says makes no call at all", async () => {
  for (const [method, path, init] of [
    ["POST", "/v2/pet", { json: { name: "" } }],
    ["PUT", "/v2/pet", { json: { id: -1 } }],
    ["GET", "/v2/pet/abc"],
    ["GET", "/v2/pet/findByStatus?status=lost"],
    ["POST", "/v2/store/order", { json: { quantity: -1 } }],
    ["GET", "/v2/store/order/11"],
    ["POST", "/v2/user", { json: { username: "" } }],
    ["GET", "/v2/user/%20"],
    ["POST", "/api/v3/pet", { json: { name: 1 } }],
    ["GET", "/v2/unknown"],
    ["GET", "/health"],
    ["POST", "/v2/pet", { json: pet, env: { ACCESS: "protected" } }],
  ] satisfies Request[]) {
    const { calls } = await measure(method, path, init);
    expect([method, path, calls]).toEqual([method, path, ""]);
  }
});
