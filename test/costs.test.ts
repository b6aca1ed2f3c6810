import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import scale from "../docs/scale.md?raw";
import stores from "../docs/stores.md?raw";
import { BASE_PATH, SANDBOX_PATH } from "../src/http/base-path.ts";
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
import type { Exchange, Makers, OperationId, Special } from "./operations.ts";
import { Calls, allThrough } from "./bindings.ts";
import { forwardedRoutes, storesRoutes } from "../src/sandbox/routes.ts";
import { classicStore, newStore } from "./sandbox/store.ts";
import type { Own } from "./sandbox/store.ts";

interface Cost extends Special {
  /** How the request is special. */
  readonly when: string;
  /** Default: 200. */
  readonly status?: number;
  /**
   * Its calls, in order (one to D1 is a statement or a batch), and the rows that D1 bills, triggers included. D1 reports
   * none for a batch that fails.
   */
  readonly cost: readonly [calls: string, rowsRead: number, rowsWritten: number];
  /** The request is sent twice; this is the cost of the second. */
  readonly again?: true;
  /** What differs in Petstore 3. */
  readonly in3?: Partial<Pick<Cost, "status" | "cost">>;
  /** It is the worst request of its operation that we found, for docs/scale.md. */
  readonly isWorst?: true;
}

const cost = (
  when: string,
  calls: string,
  rowsRead: number,
  rowsWritten: number,
  but: Special["but"] = () => ({}),
): Cost => ({ when, cost: [calls, rowsRead, rowsWritten], but });
const worst = (...stated: Parameters<typeof cost>): Cost => ({ ...cost(...stated), isWorst: true });

const pet = { name: "Rex", photoUrls: "rex.png", status: "sold", tags: ["dog", { name: "good" }] };

/** A pet with the most tags, all different. */
const largest = () => ({
  ...pet,
  status: "available",
  tags: Array.from({ length: 100 }, () => ({ name: uniqueName("most") })),
});

/** The orders that can be looked up stay. */
const makers: Makers = {
  ...STORED,
  // Petstore 3 would write tags of another form anew.
  pet: async () => createPet({ ...pet, tags: [{ name: "dog" }, { name: "good" }] }),
  order: async () => placeOrder({ quantity: 1 }),
};
const largePet: Makers = { ...makers, pet: async () => createPet(largest()) };

const withKey = (part: Partial<Exchange> = {}): Partial<Exchange> => ({
  ...part,
  headers: { "Idempotency-Key": crypto.randomUUID() },
});
const json = (members: object) => () => ({ json: members });
const path = (to: string) => () => ({ path: to });

/** Ids between two that are taken: each joins two runs of chosen ids. */
async function idsBetween(table: "pets" | "orders" | "users", count = 1): Promise<number[]> {
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

/** `fillUpTo` stores ids above this number. Generated ids are below it. */
const FIRST_FILLED = 100_000;

/** A page of 100 of the pets that `fillUpTo` stored. */
const page = (list: string) => path(`/pet/${list}&limit=100&after=${FIRST_FILLED}`);

/** The most tags that a query may name. Many pets have all of them. */
const HUNDRED = Array.from({ length: 100 }, (_, tag) => String(100 + tag));
const HUNDRED_PETS = 1100;
const OF_HUNDRED = `/pet/findByTags?tags=${HUNDRED.join(",")}`;

const createUsers: readonly Cost[] = [
  cost("", "D1", 21, 6),
  worst("with ids that join runs, and a key", "D1", 1512, 501, async () => {
    const ids = await idsBetween("users", 99);
    return withKey({
      json: [...ids, undefined].map((id) => ({ id, username: uniqueName("most") })),
    });
  }),
];

/** What each operation costs, and which of its requests costs most. A pet here has two tags and a status. */
const COSTS: Readonly<Record<OperationId, readonly Cost[]>> = {
  addPet: [
    cost("", "D1", 11, 6, json(pet)),
    cost("with a chosen id", "D1", 17, 6, () => ({ json: { ...pet, id: uniqueId() } })),
    cost("with a key", "D1", 24, 9, () => withKey({ json: pet })),
    { ...cost("with a key again", "D1 D1", 3, 0, () => withKey({ json: pet })), again: true },
    cost("that exists already", "D1", 4, 0, async () => ({
      json: { ...pet, id: (await createPet(pet)).id },
    })),
    {
      ...cost("with a taken id", "D1", 4, 0, async (_, request) =>
        withMembers(request, { id: (await createPet()).id }),
      ),
      status: 405,
      in3: { status: 409 },
    },
    worst("with 100 tags, an id that joins two runs, and a key", "D1", 131, 109, async () => {
      const [id] = await idsBetween("pets");
      return withKey({ json: { ...largest(), id } });
    }),
  ],
  updatePet: [
    cost("", "D1", 18, 8, (_, request) =>
      withMembers(request, { name: "Max", status: "pending", tags: ["cat", "good"] }),
    ),
    cost("with its status and tags", "D1", 4, 2, ({ shown }) => ({
      json: { ...shown, name: "Max" },
    })),
    cost("under a condition", "D1", 5, 2, (of) => ({ json: of.shown, ...underCondition(of) })),
    cost("under both conditions", "D1", 6, 2, ({ shown, etag }) => ({
      json: shown,
      headers: { "If-Match": etag, "If-None-Match": '"1"' },
    })),
    {
      ...cost("unless it exists", "D1", 3, 0, () => ({ headers: { "If-None-Match": "*" } })),
      status: 412,
    },
    {
      ...worst("with 100 other tags, under a condition", "D1", 509, 204, (of) => ({
        json: { ...largest(), id: of.id, status: "sold" },
        ...underCondition(of),
      })),
      makers: largePet,
    },
  ],
  findPetsByStatus: [
    cost("", "D1", 101, 0, page("findByStatus?status=sold")),
    cost("by three statuses", "D1", 103, 0, page("findByStatus?status=sold,pending,available")),
  ],
  findPetsByTags: [
    cost("with one pet", "D1", 3, 0, async () => {
      // Not the last of all tags: the row behind it counts.
      const tag = uniqueName("alone");
      await createPet({ ...pet, tags: [tag] });
      return { path: `/pet/findByTags?tags=${tag}` };
    }),
    cost("", "D1", 202, 0, page("findByTags?tags=dog")),
    cost("by two tags", "D1", 305, 0, page("findByTags?tags=dog,good")),
    cost("by 100 tags, in the longest page", "D1", 101_201, 0, path(`${OF_HUNDRED}&limit=1000`)),
    {
      ...cost("by 100 tags, as a whole list", "D1 D1", 111_401, 0, path(OF_HUNDRED)),
      // Tags are longer there, so fewer pets fit a page.
      in3: { cost: ["D1 D1 D1 D1", 111_803, 0] },
    },
  ],
  getPetById: [
    { ...worst("", "D1", 1, 0), makers: largePet },
    {
      ...cost("under a condition that fails", "D1", 1, 0, () => ({
        headers: { "If-Match": '"1"' },
      })),
      status: 412,
    },
  ],
  updatePetWithForm: [
    cost("", "D1", 7, 4),
    cost("under a condition", "D1", 7, 4, underCondition),
    {
      ...cost("with a key again", "D1 D1", 3, 0, () => withKey()),
      again: true,
      in3: { cost: ["D1 D1 D1", 4, 0] },
    },
    {
      ...worst("with another status and a key", "D1", 15, 6, () =>
        withKey({ body: new URLSearchParams({ name: "Max", status: "sold" }) }),
      ),
      makers: largePet,
    },
  ],
  uploadFile: [
    cost("", "D1 R2 D1", 10, 4),
    { ...cost("of a missing pet", "D1", 3, 0), makers: MISSING, status: 404 },
    {
      ...worst("behind 99 images, with a key", "D1 R2 D1", 119, 6, async ({ id }) => {
        await keepImages(id, MAX_IMAGES - 1);
        return withKey();
      }),
      makers: largePet,
    },
  ],
  getPetImage: [
    worst("", "R2", 0, 0),
    { ...cost("in part", "R2 R2", 0, 0, () => ({ headers: { Range: "bytes=0-9" } })), status: 206 },
    {
      ...cost("that the client has", "R2", 0, 0, ({ etag }) => ({
        headers: { "If-None-Match": etag },
      })),
      status: 304,
    },
    { ...cost("that does not exist", "R2", 0, 0), makers: MISSING, status: 404 },
    {
      ...cost("by a name that no image has", "", 0, 0, path("/pet/1/images/none.png")),
      status: 404,
    },
  ],
  deletePet: [
    cost("", "D1", 13, 4),
    { ...cost("of a missing pet", "D1", 2, 0), makers: MISSING, status: 404 },
    cost("with images", "D1 R2 D1", 15, 7, async () => {
      const to = `/pet/${(await STORED.image()).id}`;
      await send("POST", `${to}/uploadImage`, upload());
      return { path: to };
    }),
    {
      ...worst(
        "with 100 tags and 100 images, under a condition",
        "D1 R2 D1",
        1006,
        402,
        async (of) => {
          await keepImages(of.id, MAX_IMAGES);
          return underCondition(of);
        },
      ),
      makers: largePet,
    },
  ],
  getInventory: [worst("", "D1", 3, 0)],
  placeOrder: [
    cost("", "D1", 30, 2),
    cost("with a chosen id", "D1", 15, 2, withChosenId),
    worst("with a key", "D1", 43, 5, () => withKey()),
    { ...cost("with a key again", "D1 D1", 3, 0, () => withKey()), again: true },
  ],
  getOrderById: [worst("", "D1", 1, 0, path("/store/order/1"))],
  deleteOrder: [
    cost("", "D1", 2, 1),
    worst("under a condition", "D1", 3, 1, async () => {
      const [id] = await idsBetween("orders");
      const order = await placeOrder({ id });
      return { path: order.path, ...underCondition(order) };
    }),
  ],
  createUser: [
    cost("", "D1", 8, 3),
    cost("without a name", "D1", 7, 3, json({})),
    {
      ...cost("with a taken name", "D1", 5, 0, async (_, request) =>
        withMembers(request, { username: (await createUser()).shown.username }),
      ),
      status: 409,
    },
    worst("with an id that joins two runs, and a key", "D1", 30, 8, async (_, request) => {
      const [id] = await idsBetween("users");
      return withKey(withMembers(request, { id }));
    }),
  ],
  createUsersWithArrayInput: createUsers,
  createUsersWithListInput: [
    ...createUsers,
    { ...cost("with a key again", "D1 D1", 3, 0, () => withKey()), again: true },
  ],
  loginUser: [
    worst("", "D1 KV", 1, 0),
    {
      ...cost("with a wrong password", "D1", 1, 0, ({ shown }) => ({
        path: `/user/login?username=${(shown as { username: string }).username}&password=wrong`,
      })),
      status: 400,
    },
  ],
  logoutUser: [
    worst("", "KV", 0, 0, async () => ({ headers: (await createSession()).headers })),
    cost("with a cookie", "KV", 0, 0, async () => ({
      headers: { Cookie: `session=${(await createSession()).token}` },
    })),
    cost("without a token", "", 0, 0),
  ],
  getUserByName: [worst("", "D1", 1, 0)],
  updateUser: [
    cost("", "D1", 3, 2),
    worst("with another name and password, under a condition", "D1", 3, 2, (of) => ({
      json: { username: uniqueName("renamed"), password: "p" },
      ...underCondition(of),
    })),
  ],
  deleteUser: [
    cost("", "D1", 13, 1),
    worst("who placed ten orders, under a condition", "D1", 13, 11, async (of) => {
      await env.DB.prepare(
        `UPDATE orders SET version = version + 1,
             owner = (SELECT accountId FROM users WHERE id = ?) WHERE id <= 10`,
      )
        .bind(of.id)
        .run();
      return underCondition(of);
    }),
  ],
};

const ALL = operations.flatMap(({ name, id, basePath }) =>
  COSTS[id].map(({ in3, ...each }) => ({
    ...each,
    ...(basePath === BASE_PATH ? {} : in3),
    name,
    basePath,
    called: `${name} ${each.when}`.trim(),
  })),
);
const WORST = ALL.filter(({ isWorst }) => isWorst);

/** Numbers from 1 on, as `i`. */
const upTo = (last: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;

/** Fills the tables up to this many rows, with ids that clients chose here and there. */
async function fillUpTo(count: number): Promise<void> {
  const ids = `${FIRST_FILLED} + i * 2`;
  const fill = (into: string, values: string, rows = count) =>
    env.DB.prepare(
      `INSERT INTO ${into} ${upTo(rows)} SELECT ${values} FROM n WHERE true ON CONFLICT DO NOTHING`,
    );
  await env.DB.batch([
    fill(
      "pets (id, name, photoUrls, tags, status)",
      `${ids}, 'pet ' || i, '"a.png"', '["dog",{"name":"good"}]',
       iif(i % 3 = 0, 'sold', iif(i % 3 = 1, 'pending', 'available'))`,
    ),
    fill("orders (id, quantity)", `${ids}, i`),
    fill("users (id, username, credentialId)", `${ids}, 'user ' || i, 'c'`),
    // As small as possible, or bytes would cut the page.
    fill(
      "pets (id, name, photoUrls, tags)",
      `900000000 + i, 'p', '[]', '${JSON.stringify(HUNDRED)}'`,
      HUNDRED_PETS,
    ),
  ]);
}

/** The rows that the table of docs/scale.md states for an operation: read, and written. */
function rowsInScale(operation: string): readonly number[] {
  const name = `\`${operation.replaceAll(/:(\w+)(\{.*?\}\})?/g, "{$1}")}\``;
  const lines = scale.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const [, , ...cells] = lines.find(([, first]) => first === name) ?? [];
  if (cells.length === 0) throw new Error(`docs/scale.md has no row that begins with ${name}`);
  return cells.slice(0, 2).map(Number);
}

describe("the cost of an operation", () => {
  // A cost that grew with the rows, or with the runs of chosen ids, would be larger than any that is stated.
  describe("with 20,000 rows and as many runs of chosen ids", () => {
    beforeAll(async () => fillUpTo(20_000));
    beforeEach(async () => {
      // The orders that can be looked up.
      await env.DB.exec(
        `INSERT INTO orders (id) ${upTo(10)} SELECT i FROM n WHERE true ON CONFLICT DO NOTHING`,
      );
    });

    test.each(ALL)(
      "is stated: $called §1.5.4 §4.1.3 §API4",
      async ({ name, status = 200, cost: stated, again, ...special }) => {
        const { request } = await prepare(name, { makers, ...special });
        if (again) await exchange(send, request);
        const met = new Calls();
        const { DB, SESSIONS, IMAGES } = allThrough(met).bindings;
        const answer = await exchange(clientWith({ DB, SESSIONS, IMAGES }), request);
        expect(answer.status).toBe(status);
        expect([met.trace.join(" "), met.rowsRead, met.rowsWritten]).toEqual(stated);
      },
    );
  });

  test("at most is known of every operation but the finders, whose pages are bounded", () => {
    const known = new Set(WORST.map(({ name }) => name));
    const unknown = operations.filter(
      ({ name, id }) => !known.has(name) && !id.startsWith("findPets"),
    );
    expect(
      unknown.map(({ name }) => name),
      "the operations without a `worst` in COSTS",
    ).toEqual([]);
  });

  test.each(WORST)(
    "at most stands in docs/scale.md: $name",
    ({ name, cost: [, read, written] }) => {
      const { method, route } = operationOf(name);
      expect(rowsInScale(`${method} ${route}`)).toEqual([read, written]);
    },
  );

  test.each([
    [1, 0, { once: 1, withKey: 5 }],
    [100, 0, { once: 1, withKey: 5 }],
    [100, 100, { once: 1, withKey: 4 }],
    [100, 50, { once: 2, withKey: 6 }],
  ])("in statements: %i users at once, %i with ids", async (count, chosen, statements) => {
    for (const [to, headers, expected] of [
      ["/user/createWithArray", {}, statements.once],
      ["/user/createWithList", { "Idempotency-Key": crypto.randomUUID() }, statements.withKey],
    ] as const) {
      const met = new Calls();
      const users = Array.from({ length: count }, (_, index) => ({
        ...(index < chosen && { id: uniqueId() }),
        username: uniqueName("cost"),
        password: "p",
      }));
      const client = clientWith(allThrough(met).bindings);
      expect((await client("POST", to, { json: users, headers })).status).toBe(200);
      expect(met.statements).toBe(expected);
    }
  });

  test("is nothing where the request is refused for what it says", async () => {
    const met = new Calls();
    const { DB, SESSIONS } = allThrough(met).bindings;
    const measured = clientWith({ DB, SESSIONS });
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
    expect(met.trace).toEqual([]);
  });
});

const thousand = <Item>(item: (index: number) => Item) =>
  Array.from({ length: 1000 }, (_, index) => item(index));

/** A document with the most rows. The ids of its resources are these. */
const documentWith = (id: (index: number) => number) => ({
  pets: thousand((index) => ({
    id: id(index),
    name: "Rex",
    photoUrls: [],
    status: "sold",
    tags: Array.from({ length: 5 }, (_, tag) => `${index} ${tag}`),
  })),
  orders: thousand((index) => ({ id: 100 + id(index) })),
  users: thousand((index) => ({ id: id(index), username: `user ${index}` })),
});

/** No two ids are neighbours, so that each begins a run of chosen ids. */
const APART = documentWith((index) => 3 + 2 * index);
/** Each of the second half joins two runs. */
const JOINING = documentWith((index) => 3 + 2 * (index % 500) + Math.floor(index / 500));

/** The rows that the object of a sandbox reads and writes meanwhile, as Cloudflare bills them. */
async function rowsOf({ object }: Own, work: () => Promise<unknown>): Promise<[number, number]> {
  const cursors: SqlStorageCursor<never>[] = [];
  await runInDurableObject(object, (_, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    const value = (...of: Parameters<typeof exec>) => {
      const cursor = exec(...of);
      cursors.push(cursor as never);
      return cursor;
    };
    Object.defineProperty(sql, "exec", { value, configurable: true });
  });
  await work();
  return runInDurableObject(object, (_, { storage: { sql } }) => {
    Reflect.deleteProperty(sql, "exec");
    return cursors.reduce<[number, number]>(
      ([read, written], { rowsRead, rowsWritten }) => [read + rowsRead, written + rowsWritten],
      [0, 0],
    );
  });
}

describe("the most rows of an operation on a sandbox", () => {
  const RULES = Array.from({ length: 100 }, () => ({ status: 503, path: "/pet/1" }));

  /** The worst requests that we know, and the data before. docs/scale.md states the rows that they read and write. */
  const SANDBOX_COSTS: Readonly<Record<string, { before?: object; sent?: object }>> = {
    makeStore: { sent: JOINING },
    getStore: { before: APART },
    deleteStore: { before: APART },
    getStoreData: { before: APART },
    putStoreData: { before: APART, sent: JOINING },
    getStoreRequests: { before: APART },
    putStoreRequests: { before: APART, sent: { record: "full" } },
    deleteStoreRequests: { before: APART },
    getStoreFaults: { before: APART },
    putStoreFaults: { before: APART, sent: RULES },
    deleteStoreFaults: { before: APART },
  };
  const routes = [
    ...storesRoutes,
    ...forwardedRoutes.map((each) => ({ ...each, path: `${SANDBOX_PATH}${each.path}` })),
  ].filter(({ endpoint }) => endpoint.operation.id !== "getPetImage");

  test("is stated for each of them", () => {
    expect(Object.keys(SANDBOX_COSTS).toSorted()).toEqual(
      routes.map(({ endpoint }) => endpoint.operation.id).toSorted(),
    );
  });

  test.each(
    routes.map(({ method, path: route, endpoint }) => [endpoint.operation.id, method, route]),
  )("stands in docs/scale.md: %s", async (id = "", method = "", route = "") => {
    const { before, sent } = SANDBOX_COSTS[id] ?? {};
    const store = newStore();
    if (before) {
      await store.manage("PUT", "/data", { json: before });
      await runInDurableObject(store.object, (_, { storage: { sql } }) => {
        for (let last = 1; last <= 200; last++) {
          sql.exec("INSERT INTO sandbox_requests VALUES (?, 1, '[{}]')", last);
        }
      });
    }
    vi.spyOn(crypto, "randomUUID").mockReturnValue(store.name);
    const to = clientWith({}, { base: "" });
    const met = await rowsOf(store, async () => {
      const { status } = await to(
        method,
        route.replace(":store", store.name),
        sent && { json: sent },
      );
      expect(status).toBeLessThan(300);
    });
    vi.restoreAllMocks();
    const stated = rowsInScale(`${method} ${route}`);
    // Each migration adds a few rows to what a new sandbox costs.
    const slack = id === "makeStore" ? 0.01 : 0;
    const isRight = met.every((count, at) => Math.abs(count - (stated[at] ?? 0)) <= slack * count);
    expect(isRight ? [] : met, "the rows for docs/scale.md").toEqual([]);
  });

  test.each([
    ["classic", 457, 164],
    ["empty", 247, 64],
  ])(
    "of a reset from the classic to the %s data stands in docs/stores.md",
    async (data, ...rows) => {
      const store = await classicStore();
      const reset = async () => store.manage("PUT", "/data", { json: { data } });
      expect(await rowsOf(store, reset)).toEqual(rows);
      expect(stores.replaceAll(/ +/g, " ")).toContain(`the ${data} data | ${rows.join(" | ")} |`);
    },
  );
});
