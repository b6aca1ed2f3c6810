import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import scale from "../docs/scale.md?raw";
import { MAX_IMAGES } from "../src/pet/contract.ts";
import { send } from "./client.ts";
import {
  clientWith,
  createPet,
  createSession,
  createUser,
  placeOrder,
  uniqueId,
  uniqueName,
} from "./fixtures.ts";
import { upload } from "./images.ts";
import {
  MISSING,
  STORED,
  exchange,
  operationOf,
  operations,
  prepare,
  underCondition,
  withChosenId,
  withMembers,
} from "./operations.ts";
import type { Exchange, Makers, Special } from "./operations.ts";
import { Calls, databaseThrough, kvThrough, r2Through } from "./stores.ts";

interface Cost extends Special {
  /** What is special about this request, if the operation has several rows. */
  readonly when?: string;
  /** Default: 200. */
  readonly status?: number;
  /** Round trips. Default: 0. One round trip to D1 is one statement or one batch. */
  readonly d1?: number;
  readonly kv?: number;
  readonly r2?: number;
  /** What D1 bills for, triggers included: rows read and written. Default: none. */
  readonly rows?: readonly [read: number, written: number];
  /** The worst request that we found for the operation: its rows stand in docs/scale.md. */
  readonly isMost?: true;
}

/** A pet with as many tags as there may be, each with a name of its own. */
const largest = () => ({
  name: "Rex",
  photoUrls: ["rex.png"],
  status: "available",
  tags: Array.from({ length: 100 }, () => ({ name: uniqueName("most") })),
});
const makers: Makers = { ...STORED, pet: async () => createPet(largest()) };

/** Ids between two that are taken: each joins two runs of chosen ids. */
async function idsBetween(table: "pets" | "orders" | "users", count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, uniqueId);
  const columns = { pets: "id, name, photoUrls", orders: "id", users: "id, credentialId" }[table];
  const values = { pets: ", 'Rex', '\"\"'", orders: "", users: ", ''" }[table];
  await env.DB.prepare(`INSERT INTO ${table} (${columns}) SELECT value${values} FROM json_each(?)`)
    .bind(JSON.stringify(ids.flatMap((id) => [id - 1, id + 1])))
    .run();
  return ids;
}

/** Records this many images of a pet. */
async function keepImages(petId: number, count: number): Promise<void> {
  const names = Array.from({ length: count }, () => `${crypto.randomUUID()}.png`);
  await env.DB.prepare("INSERT INTO pet_images (petId, name) SELECT ?, value FROM json_each(?)")
    .bind(petId, JSON.stringify(names))
    .run();
}

/** Takes the ids of orders that can be looked up. @param owner SQL for who placed them */
async function takeOrderIds(owner = "null"): Promise<void> {
  await env.DB.exec("DELETE FROM orders WHERE id <= 10");
  await env.DB.exec(
    `INSERT INTO orders (id, owner) SELECT value, ${owner} FROM json_each('[1,2,3,4,5,6,7,8,9,10]')`,
  );
}

/** With an idempotency key. */
const withKey = (part: Partial<Exchange> = {}): Partial<Exchange> => ({
  ...part,
  headers: { "Idempotency-Key": crypto.randomUUID() },
});

const CONDITION: Cost = { when: "under a condition", but: underCondition, d1: 1 };
const CHOSEN_ID: Cost = { when: "with a chosen id", but: withChosenId, d1: 1 };
const REPEATED: Cost = {
  when: "with the same idempotency key again",
  but: async (_, request) => {
    const first = { ...request, ...withKey() };
    await exchange(send, first);
    return first;
  },
  // D1 reports no rows of the first batch, which fails.
  d1: 2,
};
const MANY_USERS: Cost = {
  when: "of many users",
  isMost: true,
  but: async () => {
    const ids = await idsBetween("users", 99);
    const json = [...ids, undefined].map((id) => ({ id, username: uniqueName("most") }));
    return withKey({ json });
  },
  d1: 1,
};

/** Tags that many pets have, all of them: as many as a query may name. */
const HUNDRED = Array.from({ length: 100 }, (_, tag) => String(100 + tag));
const HUNDRED_PETS = 1100;

/** `fillUpTo` stores ids above this number. Generated ids are below it. */
const FIRST_FILLED = 100_000;

/** A page of 100 of the pets that `fillUpTo` stored. */
const page = (list: string, when: string, read: number): Cost => ({
  when,
  but: () => ({ path: `/pet/${list}&limit=100&after=${FIRST_FILLED}` }),
  d1: 1,
  rows: [read, 0],
});

/** What each operation costs, whatever is stored. */
const costs: Readonly<Record<string, readonly Cost[]>> = {
  addPet: [
    { d1: 1, rows: [10, 5] },
    { ...CHOSEN_ID, rows: [16, 5] },
    { ...REPEATED, rows: [3, 0] },
    {
      when: "with a taken id",
      but: async (_, request) => withMembers(request, { id: (await createPet()).id }),
      status: 405,
      d1: 1,
      rows: [4, 0],
    },
    {
      when: "with an idempotency key and an id between two runs",
      isMost: true,
      but: async () => {
        const [id] = await idsBetween("pets", 1);
        return withKey({ json: { ...largest(), id } });
      },
      d1: 1,
      rows: [131, 109],
    },
  ],
  updatePet: [
    { d1: 1, rows: [4, 2] },
    {
      when: "under both conditions",
      but: ({ etag }) => ({ headers: { "If-Match": etag, "If-None-Match": '"1"' } }),
      d1: 1,
      rows: [6, 2],
    },
    {
      when: "unless it exists",
      but: () => ({ headers: { "If-None-Match": "*" } }),
      status: 412,
      d1: 1,
      rows: [3, 0],
    },
    {
      when: "with other tags, under a condition",
      isMost: true,
      makers,
      but: (of) => ({
        json: { ...largest(), id: of.id, status: "sold" },
        ...underCondition(of),
      }),
      d1: 1,
      rows: [509, 204],
    },
  ],
  findPetsByStatus: [
    page("findByStatus?status=sold", "of one status", 101),
    page("findByStatus?status=sold,pending,available", "of three statuses", 103),
  ],
  findPetsByTags: [
    {
      when: "of one pet",
      // Not the last of all tags: the row behind it counts.
      but: async () => {
        const tag = uniqueName("alone");
        await createPet({ tags: [tag] });
        return { path: `/pet/findByTags?tags=${tag}` };
      },
      d1: 1,
      rows: [3, 0],
    },
    page("findByTags?tags=dog", "of one tag", 202),
    page("findByTags?tags=dog,good", "of two tags", 305),
    {
      when: "of a hundred tags, the longest page",
      but: () => ({ path: `/pet/findByTags?tags=${HUNDRED.join(",")}&limit=1000` }),
      d1: 1,
      rows: [101_201, 0],
    },
    {
      when: "of a hundred tags, the whole list",
      but: () => ({ path: `/pet/findByTags?tags=${HUNDRED.join(",")}` }),
      d1: 2,
      rows: [111_401, 0],
    },
  ],
  getPetById: [
    { d1: 1, isMost: true, makers, rows: [1, 0] },
    {
      when: "under a condition that fails",
      but: () => ({ headers: { "If-Match": '"1"' } }),
      status: 412,
      d1: 1,
      rows: [1, 0],
    },
  ],
  updatePetWithForm: [
    { d1: 1, rows: [7, 4] },
    { ...CONDITION, rows: [7, 4] },
    {
      when: "with an idempotency key",
      isMost: true,
      makers,
      but: () => withKey(),
      d1: 1,
      rows: [15, 6],
    },
  ],
  uploadFile: [
    { d1: 2, r2: 1, rows: [11, 4] },
    { when: "of a missing pet", makers: MISSING, status: 404, d1: 1, rows: [3, 0] },
    {
      when: "as the last of a pet, with an idempotency key",
      isMost: true,
      makers,
      but: async ({ id }) => {
        await keepImages(id, MAX_IMAGES - 1);
        return withKey();
      },
      d1: 2,
      r2: 1,
      rows: [120, 6],
    },
  ],
  getPetImage: [
    { r2: 1, isMost: true },
    { when: "a part", but: () => ({ headers: { Range: "bytes=0-9" } }), status: 206, r2: 2 },
    {
      when: "that the client has",
      but: ({ etag }) => ({ headers: { "If-None-Match": etag } }),
      status: 304,
      r2: 1,
    },
    { when: "that does not exist", makers: MISSING, status: 404, r2: 1 },
    {
      when: "by a name that no image has",
      but: () => ({ path: "/pet/1/images/none.png" }),
      status: 404,
    },
  ],
  deletePet: [
    { d1: 1, rows: [9, 3] },
    { when: "of a missing pet", makers: MISSING, status: 404, d1: 1, rows: [2, 0] },
    {
      when: "with an image",
      but: async () => {
        const path = `/pet/${(await STORED.image()).id}`;
        await send("POST", `${path}/uploadImage`, upload());
        return { path };
      },
      d1: 2,
      r2: 1,
      rows: [15, 7],
    },
    {
      when: "with as many images as it may have, under a condition",
      isMost: true,
      makers,
      but: async (of) => {
        await keepImages(of.id, MAX_IMAGES);
        return underCondition(of);
      },
      d1: 2,
      r2: 1,
      rows: [1006, 402],
    },
  ],
  getInventory: [{ d1: 1, isMost: true, rows: [3, 0] }],
  placeOrder: [
    { ...CHOSEN_ID, rows: [15, 2] },
    { ...REPEATED, rows: [3, 0] },
    {
      when: "with an idempotency key, the first ten ids taken",
      isMost: true,
      but: async () => {
        await takeOrderIds();
        return withKey();
      },
      d1: 1,
      rows: [43, 5],
    },
  ],
  getOrderById: [{ d1: 1, isMost: true, rows: [1, 0] }],
  deleteOrder: [
    { d1: 1, rows: [2, 1] },
    {
      when: "between two runs, under a condition",
      isMost: true,
      but: async () => {
        const [id] = await idsBetween("orders", 1);
        const order = await placeOrder({ id });
        return { path: order.path, ...underCondition(order) };
      },
      d1: 1,
      rows: [3, 1],
    },
  ],
  createUser: [
    { d1: 1, rows: [8, 3] },
    { when: "without a name", but: () => ({ json: {} }), d1: 1, rows: [7, 3] },
    {
      when: "with a taken name",
      but: async (_, request) =>
        withMembers(request, { username: (await createUser()).shown.username }),
      status: 409,
      d1: 1,
      rows: [5, 0],
    },
    {
      when: "with an idempotency key and an id between two runs",
      isMost: true,
      but: async (_, request) => {
        const [id] = await idsBetween("users", 1);
        return withKey(withMembers(request, { id }));
      },
      d1: 1,
      rows: [30, 8],
    },
  ],
  createUsersWithArrayInput: [
    { d1: 1, rows: [19, 6] },
    { ...MANY_USERS, rows: [1503, 500] },
  ],
  createUsersWithListInput: [
    { d1: 1, rows: [19, 6] },
    { ...MANY_USERS, rows: [1503, 500] },
  ],
  loginUser: [
    { d1: 1, kv: 1, isMost: true, rows: [1, 0] },
    {
      when: "with a wrong password",
      but: ({ shown }) => ({
        path: `/user/login?username=${(shown as { username: string }).username}&password=wrong`,
      }),
      status: 400,
      d1: 1,
      rows: [1, 0],
    },
  ],
  logoutUser: [
    {
      when: "with a bearer token",
      isMost: true,
      but: async () => ({ headers: (await createSession()).headers }),
      kv: 1,
    },
    {
      when: "with a cookie",
      but: async () => ({ headers: { Cookie: `session=${(await createSession()).token}` } }),
      kv: 1,
    },
    { when: "without a token" },
  ],
  getUserByName: [{ d1: 1, isMost: true, rows: [1, 0] }],
  updateUser: [
    { d1: 1, rows: [3, 2] },
    {
      when: "with another name, under a condition",
      isMost: true,
      but: ({ etag }) => ({
        json: { username: uniqueName("renamed"), password: "p" },
        headers: { "If-Match": etag },
      }),
      d1: 1,
      rows: [3, 2],
    },
  ],
  deleteUser: [
    {
      when: "who placed no order",
      but: async () => takeOrderIds().then(() => ({})),
      d1: 1,
      rows: [13, 1],
    },
    {
      when: "who placed ten orders, under a condition",
      isMost: true,
      but: async (of) => {
        await takeOrderIds(`(SELECT accountId FROM users WHERE id = ${of.id})`);
        return underCondition(of);
      },
      d1: 1,
      rows: [13, 11],
    },
  ],
};

const rows = Object.entries(costs).flatMap(([id, requests]) =>
  requests.map(({ when, ...cost }) => ({
    ...cost,
    id,
    called: when === undefined ? id : `${id} ${when}`,
  })),
);

/** Numbers from 1 on, as `i`. */
const upTo = (last: number) =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${last})`;

/** Fills the tables up to this many rows, with ids that clients chose here and there. */
async function fillUpTo(count: number): Promise<void> {
  const series = upTo(count);
  const ids = `${FIRST_FILLED} + i * 2`;
  await env.DB.batch(
    [
      `insert into pets (id, name, photoUrls, tags, status)
       ${series} select ${ids}, 'pet ' || i, '"a.png"', '["dog",{"name":"good"}]',
         iif(i % 3 = 0, 'sold', iif(i % 3 = 1, 'pending', 'available')) from n
       where true on conflict do nothing`,
      `insert into orders (id, quantity) ${series} select ${ids}, i from n where true on conflict do nothing`,
      `insert into users (id, username, credentialId)
       ${series} select ${ids}, 'user ' || i, 'c' from n where true on conflict do nothing`,
      // As short as they can be with so many tags, or the page would be cut by its bytes.
      `insert into pets (id, name, photoUrls, tags) ${upTo(HUNDRED_PETS)} select 900000000 + i, 'p', '[]', '${JSON.stringify(HUNDRED)}'
       from n
       where true on conflict do nothing`,
    ].map((sql) => env.DB.prepare(sql)),
  );
}

describe("the cost of an operation", () => {
  test("is stated for every route, and for nothing else, and the most of each §1.1.2 §6.4.2 §API5", () => {
    const ids = operations.map(({ id }) => id).toSorted();
    expect(Object.keys(costs).toSorted()).toEqual(ids);
    const most = rows.flatMap(({ id, isMost }) => (isMost ? id : []));
    const searches = ["findPetsByStatus", "findPetsByTags"];
    expect([...most, ...searches].toSorted()).toEqual(ids);
  });

  describe.each([1000, 20_000])("with %i rows and as many runs of ids", (size) => {
    beforeAll(async () => fillUpTo(size));

    for (const { id, called, status = 200, d1 = 0, kv = 0, r2 = 0, ...special } of rows) {
      const { rows: [read, written] = [0, 0] } = special;
      test(`is constant: ${called} takes ${d1} calls of D1, ${kv} of KV, ${r2} of R2 §1.5.4 §3.13.4 §4.1.3 §API4`, async () => {
        const { request } = await prepare(id, special);
        const toD1 = new Calls();
        const toKV = new Calls();
        const toR2 = new Calls();
        const measured = clientWith({
          ...databaseThrough(toD1),
          SESSIONS: kvThrough(toKV),
          IMAGES: r2Through(toR2),
        });

        const answer = await exchange(measured, request);

        expect(answer.status).toBe(status);
        expect({ d1: toD1.count, kv: toKV.count, r2: toR2.count }).toEqual({ d1, kv, r2 });
        expect([toD1.rowsRead, toD1.rowsWritten]).toEqual([read, written]);
      });
    }
  });

  test.each(rows.filter(({ isMost }) => isMost))(
    "stands in docs/scale.md where it is the most: $called",
    ({ id, rows: [read, written] = [0, 0] }) => {
      const { method, route } = operationOf(id);
      const name = `${method} ${route.replaceAll(/:(\w+)/g, "{$1}")}`;
      const cells = ["", `\`${name}\``, String(read), String(written)];
      const lines = scale.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
      expect(lines).toContainEqual([...cells, expect.any(String), ""]);
    },
  );

  test.each([
    [1, 0, { once: 1, withKey: 4 }],
    [100, 0, { once: 1, withKey: 4 }],
    [100, 100, { once: 1, withKey: 4 }],
    [100, 50, { once: 2, withKey: 5 }],
  ])("in statements: %i users at once, %i with ids", async (count, chosen, statements) => {
    for (const [path, headers, expected] of [
      ["/user/createWithArray", {}, statements.once],
      ["/user/createWithList", { "Idempotency-Key": crypto.randomUUID() }, statements.withKey],
    ] as const) {
      const d1 = new Calls();
      const json = Array.from({ length: count }, (_, index) => ({
        ...(index < chosen && { id: uniqueId() }),
        username: uniqueName("cost"),
        password: "p",
      }));
      const answer = await clientWith({ ...databaseThrough(d1) })("POST", path, { json, headers });
      expect(answer.status).toBe(200);
      expect({ calls: d1.count, statements: d1.statements }).toEqual({
        calls: 1,
        statements: expected,
      });
    }
  });

  test("is nothing where the request is refused for what it says", async () => {
    const d1 = new Calls();
    const kv = new Calls();
    const measured = clientWith({ ...databaseThrough(d1), SESSIONS: kvThrough(kv) });

    const answers = await Promise.all([
      measured("POST", "/pet", { json: { name: "" } }),
      measured("PUT", "/pet", { json: { id: -1 } }),
      measured("GET", "/pet/abc"),
      measured("GET", "/pet/findByStatus?status=lost"),
      measured("POST", "/store/order", { json: { quantity: -1 } }),
      measured("GET", "/store/order/11"),
      measured("POST", "/user", { json: { username: "" } }),
      measured("GET", "/user/%20"),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([405, 400, 400, 400, 400, 400, 400, 400]);
    expect({ d1: d1.count, kv: kv.count }).toEqual({ d1: 0, kv: 0 });
  });
});
