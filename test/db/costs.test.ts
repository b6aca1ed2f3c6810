import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, createUser, placeOrder, uniqueId, uniqueName } from "../fixtures.ts";
import { STORED, exchange, prepare, underCondition, withMembers } from "../operations.ts";
import type { Makers, Special } from "../operations.ts";
import { rowsFor, rowsOf } from "./rows.ts";
import type { Rows } from "./rows.ts";

const pet = { name: "Rex", photoUrls: "rex.png", status: "sold", tags: ["dog", { name: "good" }] };

/** The orders that can be looked up stay. */
const makers: Makers = {
  ...STORED,
  pet: async () => createPet(pet),
  order: async () => placeOrder({ quantity: 1 }),
};

const json = (members: object): Special => ({ but: () => ({ json: members }) });
const withKey = (members: object): Special => ({
  but: () => ({ json: members, headers: { "Idempotency-Key": crypto.randomUUID() } }),
});
const path = (to: string): Special => ({ but: () => ({ path: to }) });

/** The same request again. D1 reports no rows of the first batch, which fails: these are those of the look-up. */
async function rowsOfRepeat(id: string, members: object): Promise<Rows> {
  const { request } = await prepare(id, withKey(members));
  await exchange(send, request);
  return rowsOf(request);
}

/** Tags that many pets have, all of them: as many as a query may name. */
const HUNDRED = Array.from({ length: 100 }, (_, tag) => String(100 + tag));
const HUNDRED_PETS = 1100;

/** `fillUpTo` stores ids above this number. Generated ids are below it. */
const FIRST_FILLED = 100_000;

/** A page of 100 of the pets that `fillUpTo` stored. */
const page = (list: string) => path(`/pet/${list}&limit=100&after=${FIRST_FILLED}`);

/**
 * Requests whose cost must not depend on what is stored, and what D1 bills for them. A pet here has two tags and a
 * status.
 */
const COSTS: Readonly<
  Record<string, readonly [rows: () => Promise<Rows>, read: number, written: number]>
> = {
  "creating a pet": [async () => rowsFor("addPet", json(pet)), 11, 6],
  "creating a pet with a chosen id": [
    async () => rowsFor("addPet", json({ ...pet, id: uniqueId() })),
    17,
    6,
  ],
  "creating a pet with an idempotency key": [async () => rowsFor("addPet", withKey(pet)), 24, 9],
  "creating it with the same key again": [async () => rowsOfRepeat("addPet", pet), 3, 0],
  "creating a pet that exists already": [
    async () => rowsFor("addPet", json({ ...pet, id: (await createPet(pet)).id })),
    4,
    0,
  ],
  "replacing a pet": [
    async () =>
      rowsFor("updatePet", {
        makers,
        but: (_, request) =>
          withMembers(request, { name: "Max", status: "pending", tags: ["cat", "good"] }),
      }),
    18,
    8,
  ],
  "replacing a pet under a condition": [
    async () =>
      rowsFor("updatePet", {
        makers,
        but: (of) => ({ json: of.shown, ...underCondition(of) }),
      }),
    5,
    2,
  ],
  "updating a pet with a form": [async () => rowsFor("updatePetWithForm", { makers }), 7, 4],
  "reading a pet": [async () => rowsFor("getPetById", { makers }), 1, 0],
  "deleting a pet": [async () => rowsFor("deletePet", { makers }), 13, 4],
  "reading the inventory": [async () => rowsFor("getInventory"), 3, 0],
  "finding one pet by its tag": [
    async () => {
      // Not the last of all tags: the row behind it counts.
      const tag = uniqueName("alone");
      await createPet({ ...pet, tags: [tag] });
      return rowsFor("findPetsByTags", { word: tag });
    },
    3,
    0,
  ],
  "a page of one status": [
    async () => rowsFor("findPetsByStatus", page("findByStatus?status=sold")),
    101,
    0,
  ],
  "a page of three statuses": [
    async () => rowsFor("findPetsByStatus", page("findByStatus?status=sold,pending,available")),
    103,
    0,
  ],
  "a page of one tag": [async () => rowsFor("findPetsByTags", page("findByTags?tags=dog")), 202, 0],
  "a page of two tags": [
    async () => rowsFor("findPetsByTags", page("findByTags?tags=dog,good")),
    305,
    0,
  ],
  "the longest page of a hundred tags": [
    async () =>
      rowsFor("findPetsByTags", path(`/pet/findByTags?tags=${HUNDRED.join(",")}&limit=1000`)),
    101_201,
    0,
  ],
  "a whole list of a hundred tags": [
    async () => rowsFor("findPetsByTags", path(`/pet/findByTags?tags=${HUNDRED.join(",")}`)),
    111_401,
    0,
  ],
  "placing an order": [async () => rowsFor("placeOrder", json({})), 30, 2],
  "placing an order with an idempotency key": [
    async () => rowsFor("placeOrder", withKey({})),
    43,
    5,
  ],
  "placing it with the same key again": [async () => rowsOfRepeat("placeOrder", {}), 3, 0],
  "reading an order": [
    async () => rowsFor("getOrderById", { makers, ...path("/store/order/1") }),
    1,
    0,
  ],
  "deleting an order": [async () => rowsFor("deleteOrder", { makers }), 2, 1],
  "creating a user": [async () => rowsFor("createUser"), 8, 3],
  "creating two users": [async () => rowsFor("createUsersWithListInput"), 19, 6],
  "reading a user": [async () => rowsFor("getUserByName"), 1, 0],
  "updating a user": [async () => rowsFor("updateUser"), 3, 2],
  "renaming a user": [
    async () => rowsFor("updateUser", json({ username: uniqueName("renamed") })),
    3,
    2,
  ],
  "deleting a user": [async () => rowsFor("deleteUser"), 13, 1],
  "deleting a user who placed ten orders": [
    async () => {
      const { id, path: to } = await createUser();
      await env.DB.prepare(
        `update orders set version = version + 1,
           owner = (select accountId from users where id = ?) where id <= 10`,
      )
        .bind(id)
        .run();
      const rows = await rowsOf({ method: "DELETE", path: to });
      await env.DB.prepare(FILLED_ORDERS).run();
      return rows;
    },
    13,
    11,
  ],
  "logging in": [async () => rowsFor("loginUser"), 1, 0],
};

/** The orders that can be looked up. */
const FILLED_ORDERS = `insert into orders (id)
  select value from json_each('[1,2,3,4,5,6,7,8,9,10]') where true on conflict do nothing`;
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
      FILLED_ORDERS,
      `insert into users (id, username, credentialId)
       ${series} select ${ids}, 'user ' || i, 'c' from n where true on conflict do nothing`,
      // As short as they can be with so many tags, or the page would be cut by its bytes.
      `insert into pets (id, name, photoUrls, tags) ${upTo(HUNDRED_PETS)} select 900000000 + i, 'p', '[]', '${JSON.stringify(HUNDRED)}'
       from n
       where true on conflict do nothing`,
    ].map((sql) => env.DB.prepare(sql)),
  );
}

describe("rows read and written", () => {
  describe.each([1000, 20_000])("with %i rows and as many runs of chosen ids", (size) => {
    beforeAll(async () => fillUpTo(size));

    test.each(Object.entries(COSTS))(
      "are constants: %s §1.5.4 §4.1.3 §API4",
      async (_, [rows, read, written]) => {
        expect(await rows()).toEqual({ read, written });
      },
    );
  });
});
