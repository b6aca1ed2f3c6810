import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BASE_PATH } from "../src/http/base-path.ts";
import { MAX_IMAGES } from "../src/pet/contract.ts";
import { send } from "./client.ts";
import {
  clientWith,
  createPet,
  createSession,
  placeOrder,
  uniqueId,
  uniqueName,
} from "./fixtures.ts";
import { upload } from "./images.ts";
import {
  MISSING,
  STORED,
  exchange,
  operations,
  prepare,
  underCondition,
  withChosenId,
  withMembers,
} from "./operations.ts";
import type { Exchange, Makers, OperationId, Special } from "./operations.ts";
import { Calls, allThrough } from "./bindings.ts";

interface Cost extends Special {
  /** How the request is special. */
  readonly when: string;
  /** Default: 200. */
  readonly status?: number;
  /** In order. One to D1 is a statement or a batch. */
  readonly calls: string;
  /** The request is sent twice; these are the calls of the second. */
  readonly again?: true;
  /** What differs in Petstore 3. */
  readonly in3?: Partial<Pick<Cost, "status" | "calls">>;
}

const cost = (when: string, calls: string, but: Special["but"] = () => ({})): Cost => ({
  when,
  calls,
  but,
});

/** The rows of each table. */
const FILLED = 20_000;

/** The most rows of any request but a list, triggers included. One that read a table would read `FILLED`. */
const MOST_READ = 12_000;
const MOST_WRITTEN = 500;

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
  cost("", "D1"),
  cost("a hundred, with a key", "D1", () =>
    withKey({ json: Array.from({ length: 100 }, () => ({ username: uniqueName("most") })) }),
  ),
];

/** The calls of each operation. A pet here has two tags and a status. */
const COSTS: Readonly<Record<OperationId, readonly Cost[]>> = {
  addPet: [
    cost("", "D1", json(pet)),
    cost("with a chosen id", "D1", () => ({ json: { ...pet, id: uniqueId() } })),
    cost("with a key", "D1", () => withKey({ json: pet })),
    { ...cost("with a key again", "D1 D1", () => withKey({ json: pet })), again: true },
    cost("that exists already", "D1", async () => ({
      json: { ...pet, id: (await createPet(pet)).id },
    })),
    {
      ...cost("with a taken id", "D1", async (_, request) =>
        withMembers(request, { id: (await createPet()).id }),
      ),
      status: 405,
      in3: { status: 409 },
    },
    cost("with 100 tags, a chosen id and a key", "D1", () =>
      withKey({ json: { ...largest(), id: uniqueId() } }),
    ),
  ],
  updatePet: [
    cost("", "D1", (_, request) =>
      withMembers(request, { name: "Max", status: "pending", tags: ["cat", "good"] }),
    ),
    cost("with its status and tags", "D1", ({ shown }) => ({
      json: { ...shown, name: "Max" },
    })),
    cost("under a condition", "D1", (of) => ({ json: of.shown, ...underCondition(of) })),
    cost("under both conditions", "D1", ({ shown, etag }) => ({
      json: shown,
      headers: { "If-Match": etag, "If-None-Match": '"1"' },
    })),
    {
      ...cost("unless it exists", "D1", () => ({ headers: { "If-None-Match": "*" } })),
      status: 412,
    },
    {
      ...cost("with 100 other tags, under a condition", "D1", (of) => ({
        json: { ...largest(), id: of.id, status: "sold" },
        ...underCondition(of),
      })),
      makers: largePet,
    },
  ],
  findPetsByStatus: [
    cost("", "D1", page("findByStatus?status=sold")),
    cost("by three statuses", "D1", page("findByStatus?status=sold,pending,available")),
  ],
  findPetsByTags: [
    cost("with one pet", "D1", async () => {
      // Not the last of all tags: the row behind it counts.
      const tag = uniqueName("alone");
      await createPet({ ...pet, tags: [tag] });
      return { path: `/pet/findByTags?tags=${tag}` };
    }),
    cost("", "D1", page("findByTags?tags=dog")),
    cost("by two tags", "D1", page("findByTags?tags=dog,good")),
    cost("by 100 tags, in the longest page", "D1", path(`${OF_HUNDRED}&limit=1000`)),
    {
      ...cost("by 100 tags, as a whole list", "D1 D1", path(OF_HUNDRED)),
      // Tags are longer there, so fewer pets fit a page.
      in3: { calls: "D1 D1 D1 D1" },
    },
  ],
  getPetById: [
    { ...cost("", "D1"), makers: largePet },
    {
      ...cost("under a condition that fails", "D1", () => ({
        headers: { "If-Match": '"1"' },
      })),
      status: 412,
    },
  ],
  updatePetWithForm: [
    cost("", "D1"),
    cost("under a condition", "D1", underCondition),
    {
      ...cost("with a key again", "D1 D1", () => withKey()),
      again: true,
      in3: { calls: "D1 D1 D1" },
    },
    {
      ...cost("with another status and a key", "D1", () =>
        withKey({ body: new URLSearchParams({ name: "Max", status: "sold" }) }),
      ),
      makers: largePet,
    },
  ],
  uploadFile: [
    cost("", "D1 R2 D1"),
    { ...cost("of a missing pet", "D1"), makers: MISSING, status: 404 },
    {
      ...cost("behind 99 images, with a key", "D1 R2 D1", async ({ id }) => {
        await keepImages(id, MAX_IMAGES - 1);
        return withKey();
      }),
      makers: largePet,
    },
  ],
  getPetImage: [
    cost("", "R2"),
    { ...cost("that does not exist", "R2"), makers: MISSING, status: 404 },
    {
      ...cost("by a name that no image has", "", path("/pet/1/images/none.png")),
      status: 404,
    },
  ],
  deletePet: [
    cost("", "D1"),
    { ...cost("of a missing pet", "D1"), makers: MISSING, status: 404 },
    cost("with images", "D1 R2 D1", async () => {
      const to = `/pet/${(await STORED.image()).id}`;
      await send("POST", `${to}/uploadImage`, upload());
      return { path: to };
    }),
    {
      ...cost("with 100 tags and 100 images, under a condition", "D1 R2 D1", async (of) => {
        await keepImages(of.id, MAX_IMAGES);
        return underCondition(of);
      }),
      makers: largePet,
    },
  ],
  getInventory: [cost("", "D1")],
  placeOrder: [
    cost("", "D1"),
    cost("with a chosen id", "D1", withChosenId),
    cost("with a key", "D1", () => withKey()),
    { ...cost("with a key again", "D1 D1", () => withKey()), again: true },
  ],
  getOrderById: [cost("", "D1", path("/store/order/1"))],
  deleteOrder: [
    cost("", "D1"),
    cost("under a condition", "D1", async () => {
      const order = await placeOrder({ quantity: 1 });
      return { path: order.path, ...underCondition(order) };
    }),
  ],
  createUser: [
    cost("", "D1"),
    cost("without a name", "D1", json({})),
    cost("with a chosen id and a key", "D1", (_, request) =>
      withKey(withMembers(request, { id: uniqueId() })),
    ),
  ],
  createUsersWithArrayInput: createUsers,
  createUsersWithListInput: [
    ...createUsers,
    { ...cost("with a key again", "D1 D1", () => withKey()), again: true },
  ],
  loginUser: [cost("", "D1 KV")],
  logoutUser: [cost("", "KV", async () => ({ headers: (await createSession()).headers }))],
  getUserByName: [cost("", "D1")],
  updateUser: [
    cost("", "D1"),
    cost("with another name and password, under a condition", "D1", (of) => ({
      json: { username: uniqueName("renamed"), password: "p" },
      ...underCondition(of),
    })),
  ],
  deleteUser: [
    cost("", "D1"),
    cost("who placed ten orders, under a condition", "D1", async (of) => {
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
    id,
    ...(basePath === BASE_PATH ? {} : in3),
    name,
    basePath,
    called: `${name} ${each.when}`.trim(),
  })),
);

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

describe("the cost of an operation", () => {
  describe("with 20,000 rows, and as many runs of chosen ids", () => {
    beforeAll(async () => fillUpTo(FILLED));
    beforeEach(async () => {
      // The orders that can be looked up.
      await env.DB.exec(
        `INSERT INTO orders (id) ${upTo(10)} SELECT i FROM n WHERE true ON CONFLICT DO NOTHING`,
      );
    });

    test.each(ALL)(
      "is its calls, and few rows: $called §1.5.4 §4.1.3 §API4",
      async ({ name, id, status = 200, calls, again, ...special }) => {
        const { request } = await prepare(name, { makers, ...special });
        if (again) await exchange(send, request);
        const met = new Calls();
        const { DB, SESSIONS, IMAGES } = allThrough(met).bindings;
        const answer = await exchange(clientWith({ DB, SESSIONS, IMAGES }), request);
        expect(answer.status).toBe(status);
        expect(met.trace.join(" ")).toBe(calls);
        expect(met.rowsWritten).toBeLessThan(MOST_WRITTEN);
        // test/pet/paging.test.ts has the bounds of a list.
        const mostRead = id.startsWith("findPets") ? Infinity : MOST_READ;
        expect(met.rowsRead).toBeLessThan(mostRead);
      },
    );
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
