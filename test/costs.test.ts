import { describe, expect, test } from "vitest";
import { send } from "./client.ts";
import {
  clientWith,
  createPet,
  createSession,
  createUser,
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
import type { Special } from "./operations.ts";
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
}

const CONDITION: Cost = { when: "under a condition", but: underCondition, d1: 1 };
const CHOSEN_ID: Cost = { when: "with a chosen id", but: withChosenId, d1: 1 };

/** What each operation costs. */
const costs: Readonly<Record<string, readonly Cost[]>> = {
  addPet: [
    { d1: 1 },
    CHOSEN_ID,
    {
      when: "with a taken id",
      but: async (_, request) => withMembers(request, { id: (await createPet()).id }),
      status: 405,
      d1: 1,
    },
  ],
  updatePet: [
    { d1: 1 },
    CONDITION,
    {
      when: "under both conditions",
      but: ({ etag }) => ({ headers: { "If-Match": etag, "If-None-Match": '"1"' } }),
      d1: 1,
    },
    {
      when: "unless it exists",
      but: () => ({ headers: { "If-None-Match": "*" } }),
      status: 412,
      d1: 1,
    },
  ],
  findPetsByStatus: [{ d1: 1 }],
  findPetsByTags: [{ d1: 1 }],
  getPetById: [
    { d1: 1 },
    {
      when: "under a condition that fails",
      but: () => ({ headers: { "If-Match": '"1"' } }),
      status: 412,
      d1: 1,
    },
  ],
  updatePetWithForm: [{ d1: 1 }, CONDITION],
  uploadFile: [
    { d1: 2, r2: 1 },
    { when: "of a missing pet", makers: MISSING, status: 404, d1: 1 },
  ],
  getPetImage: [
    { r2: 1 },
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
    { d1: 1 },
    CONDITION,
    { when: "of a missing pet", makers: MISSING, status: 404, d1: 1 },
    {
      when: "with images",
      but: async () => {
        const path = `/pet/${(await STORED.image()).id}`;
        await send("POST", `${path}/uploadImage`, upload());
        return { path };
      },
      d1: 2,
      r2: 1,
    },
  ],
  getInventory: [{ d1: 1 }],
  placeOrder: [{ d1: 1 }, CHOSEN_ID],
  getOrderById: [{ d1: 1 }],
  deleteOrder: [{ d1: 1 }, CONDITION],
  createUser: [
    { d1: 1 },
    { when: "without a name", but: () => ({ json: {} }), d1: 1 },
    {
      when: "with a taken name",
      but: async (_, request) =>
        withMembers(request, { username: (await createUser()).shown.username }),
      status: 409,
      d1: 1,
    },
  ],
  createUsersWithArrayInput: [{ d1: 1 }],
  createUsersWithListInput: [{ d1: 1 }],
  loginUser: [
    { d1: 1, kv: 1 },
    {
      when: "with a wrong password",
      but: ({ shown }) => ({
        path: `/user/login?username=${(shown as { username: string }).username}&password=wrong`,
      }),
      status: 400,
      d1: 1,
    },
  ],
  logoutUser: [
    {
      when: "with a bearer token",
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
  getUserByName: [{ d1: 1 }],
  updateUser: [
    { d1: 1 },
    {
      when: "with another name, under a condition",
      but: ({ etag }) => ({
        json: { username: uniqueName("renamed") },
        headers: { "If-Match": etag },
      }),
      d1: 1,
    },
  ],
  deleteUser: [{ d1: 1 }, CONDITION],
};

const rows = Object.entries(costs).flatMap(([id, requests]) =>
  requests.map(({ when, ...cost }) => ({
    ...cost,
    id,
    called: when === undefined ? id : `${id} ${when}`,
  })),
);

describe("the cost of an operation", () => {
  test("is stated for every route, and for nothing else §1.1.2 §6.4.2 §API5", () => {
    expect(Object.keys(costs).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  for (const { id, called, status = 200, d1 = 0, kv = 0, r2 = 0, ...special } of rows) {
    test(`in round trips: ${called} takes ${d1} of D1, ${kv} of KV and ${r2} of R2 §3.13.4`, async () => {
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
      expect({ d1: toD1.count, kv: toKV.count, r2: toR2.count }).toEqual({
        d1,
        kv,
        r2,
      });
    });
  }

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
