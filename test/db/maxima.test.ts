import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import scale from "../../docs/scale.md?raw";
import { MAX_IMAGES } from "../../src/pet/contract.ts";
import {
  createPet,
  createSession,
  freeOrderIds,
  placeOrder,
  uniqueId,
  uniqueName,
} from "../fixtures.ts";
import { STORED, operationOf, operations, underCondition, withMembers } from "../operations.ts";
import type { Exchange, Makers, Special } from "../operations.ts";
import { rowsFor } from "./rows.ts";

/** A pet with as many tags as there may be, each with a name of its own. */
const largest = () => ({
  name: "Rex",
  photoUrls: ["rex.png"],
  status: "available",
  tags: Array.from({ length: 100 }, () => ({ name: uniqueName("most") })),
});

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

/** With an idempotency key. */
const withKey = (part: Partial<Exchange> = {}): Partial<Exchange> => ({
  ...part,
  headers: { "Idempotency-Key": crypto.randomUUID() },
});

const makers: Makers = { ...STORED, pet: async () => createPet(largest()) };
const manyUsers: Special = {
  but: async () => {
    const ids = await idsBetween("users", 99);
    const json = [...ids, undefined].map((id) => ({ id, username: uniqueName("most") }));
    return withKey({ json });
  },
};

/**
 * The worst request that we found for each operation, and its rows. The two searches are not here, because their pages
 * are bounded.
 */
const MOST: Readonly<Record<string, readonly [worst: Special, read: number, written: number]>> = {
  addPet: [
    {
      but: async () => {
        const [id] = await idsBetween("pets", 1);
        return withKey({ json: { ...largest(), id } });
      },
    },
    131,
    109,
  ],
  updatePet: [
    {
      makers,
      but: (of) => ({
        json: { ...largest(), id: of.id, status: "sold" },
        ...underCondition(of),
      }),
    },
    509,
    204,
  ],
  getPetById: [{ makers }, 1, 0],
  updatePetWithForm: [
    { makers, but: () => withKey({ body: new URLSearchParams({ name: "Max", status: "sold" }) }) },
    15,
    6,
  ],
  deletePet: [
    {
      makers,
      but: async (of) => {
        await keepImages(of.id, MAX_IMAGES);
        return underCondition(of);
      },
    },
    1006,
    402,
  ],
  uploadFile: [
    {
      makers,
      but: async ({ id }) => {
        await keepImages(id, MAX_IMAGES - 1);
        return withKey();
      },
    },
    120,
    6,
  ],
  getPetImage: [{}, 0, 0],
  getInventory: [{}, 3, 0],
  placeOrder: [
    {
      but: async () => {
        await freeOrderIds();
        for (let count = 1; count <= 11; count++) await placeOrder();
        return withKey({ json: {} });
      },
    },
    43,
    5,
  ],
  getOrderById: [{}, 1, 0],
  deleteOrder: [
    {
      but: async () => {
        const [id] = await idsBetween("orders", 1);
        const order = await placeOrder({ id });
        return { path: order.path, ...underCondition(order) };
      },
    },
    3,
    1,
  ],
  createUser: [
    {
      but: async (_, request) => {
        const [id] = await idsBetween("users", 1);
        return withKey(withMembers(request, { id }));
      },
    },
    30,
    8,
  ],
  createUsersWithArrayInput: [manyUsers, 1503, 500],
  createUsersWithListInput: [manyUsers, 1503, 500],
  loginUser: [{}, 1, 0],
  logoutUser: [
    {
      but: async () => ({ headers: (await createSession()).headers }),
    },
    0,
    0,
  ],
  getUserByName: [{}, 1, 0],
  updateUser: [
    {
      but: (of) => ({
        json: { username: uniqueName("renamed"), password: "p" },
        ...underCondition(of),
      }),
    },
    3,
    2,
  ],
  deleteUser: [
    {
      but: async (of) => {
        await env.DB.batch([
          env.DB.prepare("DELETE FROM orders WHERE id <= 10"),
          env.DB.prepare(
            "INSERT INTO orders (id, owner) SELECT value, accountId FROM users, json_each('[1,2,3,4,5,6,7,8,9,10]') WHERE users.id = ?",
          ).bind(of.id),
        ]);
        return underCondition(of);
      },
    },
    13,
    11,
  ],
};

describe("the most rows that one request reads and writes", () => {
  test.each(Object.entries(MOST))("are known: %s", async (id, [worst, read, written]) => {
    expect(await rowsFor(id, worst)).toEqual({ read, written });
  });

  test("are known of every operation but the finders", () => {
    const finders = ["findPetsByStatus", "findPetsByTags"];
    expect([...Object.keys(MOST), ...finders].toSorted()).toEqual(
      operations.map(({ id }) => id).toSorted(),
    );
  });

  test.each(Object.entries(MOST))("stand in docs/scale.md: %s", (id, [, read, written]) => {
    const { method, route } = operationOf(id);
    const name = `${method} ${route.replaceAll(/:(\w+)/g, "{$1}")}`;
    const cells = ["", `\`${name}\``, String(read), String(written)];
    const lines = scale.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(lines).toContainEqual([...cells, expect.any(String), ""]);
  });
});
