import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { send } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import { clientWith } from "../fixtures.ts";
import { Calls, d1Through } from "../stores.ts";

interface Rows {
  readonly read: number;
  readonly written: number;
}

const pet = { name: "Rex", photoUrls: "rex.png", status: "sold", tags: ["dog", { name: "good" }] };
const idOf = ({ json }: Answer) => (json as { id: number }).id;

/** Rows that the statements of one request read and wrote, triggers included. */
async function rowsOf(method: string, path: string, sent?: Sent): Promise<Rows> {
  const calls = new Calls();
  const answer = await clientWith({ DB: d1Through(calls) })(method, path, sent);
  expect(answer.status).toBe(200);
  return { read: calls.rowsRead, written: calls.rowsWritten };
}

async function storedPet(): Promise<{ id: number; etag: string }> {
  const answer = await send("POST", "/pet", { json: pet });
  return { id: idOf(answer), etag: answer.headers.get("etag") ?? "" };
}

async function storedOrder(): Promise<number> {
  return idOf(await send("POST", "/store/order", { json: { quantity: 1 } }));
}

const withKey = (json: object): Sent => ({
  json,
  headers: { "Idempotency-Key": crypto.randomUUID() },
});

/** The same request again. D1 reports no rows of the first batch, which fails: these are those of the look-up. */
async function rowsOfRepeat(path: string, sent: Sent): Promise<Rows> {
  await send("POST", path, sent);
  return rowsOf("POST", path, sent);
}

/** Tags that many pets have, all of them: as many as a query may name. */
const HUNDRED = Array.from({ length: 100 }, (_, tag) => String(100 + tag));
const HUNDRED_PETS = 1100;

/** A page of 100 of the pets that `fillUpTo` stored. */
const rowsOfPage = async (list: string) =>
  rowsOf("GET", `/pet/${list}&limit=100&after=${FIRST_FILLED}`);

/** Ids of what `fillUpTo` stores lie beyond it, those that are generated below it. */
const FIRST_FILLED = 100_000;
let chosenId = 4_000_000_000;
let names = 0;

async function storedUser(): Promise<string> {
  const username = `cost-${++names}`;
  await send("POST", "/user", { json: { username, password: "secret" } });
  return username;
}

/** What must cost the same however much is stored. */
const operations: Record<string, () => Promise<Rows>> = {
  "creating a pet": async () => rowsOf("POST", "/pet", { json: pet }),
  "creating a pet with a chosen id": async () =>
    rowsOf("POST", "/pet", { json: { ...pet, id: (chosenId += 2) } }),
  "creating a pet with an idempotency key": async () => rowsOf("POST", "/pet", withKey(pet)),
  "creating it with the same key again": async () => rowsOfRepeat("/pet", withKey(pet)),
  "creating a pet that exists already": async () => {
    const { id } = await storedPet();
    return rowsOf("POST", "/pet", { json: { ...pet, id } });
  },
  "replacing a pet": async () => {
    const { id } = await storedPet();
    const json = { ...pet, id, name: "Max", status: "pending", tags: ["cat", "good"] };
    return rowsOf("PUT", "/pet", { json });
  },
  "replacing a pet under a condition": async () => {
    const { id, etag } = await storedPet();
    return rowsOf("PUT", "/pet", { json: { ...pet, id }, headers: { "If-Match": etag } });
  },
  "updating a pet with a form": async () =>
    rowsOf("POST", `/pet/${(await storedPet()).id}`, {
      body: new URLSearchParams({ name: "Max", status: "pending" }),
    }),
  "reading a pet": async () => rowsOf("GET", `/pet/${(await storedPet()).id}`),
  "deleting a pet": async () => rowsOf("DELETE", `/pet/${(await storedPet()).id}`),
  "reading the inventory": async () => rowsOf("GET", "/store/inventory"),
  "finding one pet by its tag": async () => {
    // Not the last of all tags: the row behind it counts.
    await send("POST", "/pet", { json: { ...pet, tags: [`alone-${++names}`] } });
    return rowsOf("GET", `/pet/findByTags?tags=alone-${names}`);
  },
  "a page of one status": async () => rowsOfPage("findByStatus?status=sold"),
  "a page of three statuses": async () => rowsOfPage("findByStatus?status=sold,pending,available"),
  "a page of one tag": async () => rowsOfPage("findByTags?tags=dog"),
  "a page of two tags": async () => rowsOfPage("findByTags?tags=dog,good"),
  "the longest page of a hundred tags": async () =>
    rowsOf("GET", `/pet/findByTags?tags=${HUNDRED.join(",")}&limit=1000`),
  "a whole list of a hundred tags": async () =>
    rowsOf("GET", `/pet/findByTags?tags=${HUNDRED.join(",")}`),
  "placing an order": async () => rowsOf("POST", "/store/order", { json: {} }),
  "placing an order with an idempotency key": async () =>
    rowsOf("POST", "/store/order", withKey({})),
  "placing it with the same key again": async () => rowsOfRepeat("/store/order", withKey({})),
  "reading an order": async () => rowsOf("GET", "/store/order/1"),
  "deleting an order": async () => rowsOf("DELETE", `/store/order/${await storedOrder()}`),
  "creating a user": async () => rowsOf("POST", "/user", { json: { username: `new-${++names}` } }),
  "creating two users": async () =>
    rowsOf("POST", "/user/createWithList", {
      json: [{ username: `new-${++names}` }, { username: `new-${++names}` }],
    }),
  "reading a user": async () => rowsOf("GET", `/user/${await storedUser()}`),
  "updating a user": async () =>
    rowsOf("PUT", `/user/${await storedUser()}`, { json: { phone: "1", password: "p" } }),
  "renaming a user": async () =>
    rowsOf("PUT", `/user/${await storedUser()}`, { json: { username: `renamed-${++names}` } }),
  "deleting a user": async () => rowsOf("DELETE", `/user/${await storedUser()}`),
  "deleting a user who placed ten orders": async () => {
    const username = await storedUser();
    await env.DB.prepare(
      `update orders set version = version + 1,
         owner = (select accountId from users where username = ?) where id <= 10`,
    )
      .bind(username)
      .run();
    const rows = await rowsOf("DELETE", `/user/${username}`);
    await env.DB.prepare(FILLED_ORDERS).run();
    return rows;
  },
  "logging in": async () =>
    rowsOf("GET", `/user/login?username=${await storedUser()}&password=secret`),
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
      `insert into pets (id, name, photoUrls, tags) ${upTo(HUNDRED_PETS)} select 900000000 + i, 'p', '""', '${JSON.stringify(HUNDRED)}'
       from n
       where true on conflict do nothing`,
    ].map((sql) => env.DB.prepare(sql)),
  );
}

/** What D1 bills for each. A pet here has two tags and a status, and its status and a tag change. */
const COSTS: Record<string, Rows> = {
  "creating a pet": { read: 11, written: 6 },
  "creating a pet with a chosen id": { read: 17, written: 6 },
  "creating a pet with an idempotency key": { read: 18, written: 9 },
  "creating it with the same key again": { read: 1, written: 0 },
  "creating a pet that exists already": { read: 4, written: 0 },
  "replacing a pet": { read: 18, written: 8 },
  "replacing a pet under a condition": { read: 5, written: 2 },
  "updating a pet with a form": { read: 7, written: 4 },
  "reading a pet": { read: 1, written: 0 },
  "deleting a pet": { read: 13, written: 4 },
  "reading the inventory": { read: 3, written: 0 },
  "finding one pet by its tag": { read: 3, written: 0 },
  "a page of one status": { read: 101, written: 0 },
  "a page of three statuses": { read: 103, written: 0 },
  "a page of one tag": { read: 202, written: 0 },
  "a page of two tags": { read: 305, written: 0 },
  "the longest page of a hundred tags": { read: 101_201, written: 0 },
  "a whole list of a hundred tags": { read: 111_401, written: 0 },
  "placing an order": { read: 30, written: 2 },
  "placing an order with an idempotency key": { read: 37, written: 5 },
  "placing it with the same key again": { read: 1, written: 0 },
  "reading an order": { read: 1, written: 0 },
  "deleting an order": { read: 2, written: 1 },
  "creating a user": { read: 8, written: 3 },
  "creating two users": { read: 21, written: 6 },
  "reading a user": { read: 1, written: 0 },
  "updating a user": { read: 3, written: 2 },
  "renaming a user": { read: 3, written: 2 },
  "deleting a user": { read: 13, written: 1 },
  "deleting a user who placed ten orders": { read: 13, written: 11 },
  "logging in": { read: 1, written: 0 },
};

describe("rows read and written", () => {
  describe.each([1000, 20_000])("with %i rows and as many runs of chosen ids", (size) => {
    beforeAll(async () => fillUpTo(size));

    test.each(Object.entries(COSTS))("are constants: %s", async (name, cost) => {
      expect(await operations[name]?.()).toEqual(cost);
    });
  });

  test("are stated for every operation above", () => {
    expect(Object.keys(COSTS)).toEqual(Object.keys(operations));
  });
});
