import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import scale from "../../docs/scale.md?raw";
import { MAX_IMAGES } from "../../src/pet/contract.ts";
import { routes } from "../../src/routes.ts";
import { send } from "../client.ts";
import type { Sent } from "../client.ts";
import {
  clientWith,
  createPet,
  createUser,
  freeOrderIds,
  logIn,
  tokenOf,
  uniqueId,
  uniqueName,
} from "../fixtures.ts";
import { PNG, imageForm } from "../images.ts";
import { Calls, d1Through } from "../stores.ts";

interface Rows {
  readonly read: number;
  readonly written: number;
}

/** Rows that the statements of one request read and wrote, triggers included. */
async function rowsOf(method: string, path: string, sent?: Sent, status = 200): Promise<Rows> {
  const calls = new Calls();
  const answer = await clientWith({ DB: d1Through(calls) })(method, path, sent);
  expect(answer.status).toBe(status);
  return { read: calls.rowsRead, written: calls.rowsWritten };
}

/** A pet with as many tags as there may be, each with a name of its own. */
const largest = () => ({
  name: "Rex",
  photoUrls: ["rex.png"],
  status: "available",
  tags: Array.from({ length: 100 }, () => ({ name: uniqueName("most") })),
});

const withKey = () => ({ "Idempotency-Key": crypto.randomUUID() });

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

/** Has so many images known of a pet. */
async function keepImages(petId: number, count: number): Promise<void> {
  const names = Array.from({ length: count }, () => `${crypto.randomUUID()}.png`);
  await env.DB.prepare("INSERT INTO pet_images (petId, name) SELECT ?, value FROM json_each(?)")
    .bind(petId, JSON.stringify(names))
    .run();
}

async function manyUsers(path: string): Promise<Rows> {
  const ids = await idsBetween("users", 99);
  const json = [...ids, undefined].map((id) => ({ id, username: uniqueName("most") }));
  return rowsOf("POST", path, { json, headers: withKey() });
}

/** The worst request of each operation that was found; of the finders, whose pages are bounded, none. */
const WORST: Readonly<Record<string, () => Promise<Rows>>> = {
  "POST /pet": async () => {
    const [id] = await idsBetween("pets", 1);
    return rowsOf("POST", "/pet", { json: { ...largest(), id }, headers: withKey() });
  },
  "PUT /pet": async () => {
    const { id, etag } = await createPet(largest());
    const json = { ...largest(), id, status: "sold" };
    return rowsOf("PUT", "/pet", { json, headers: { "If-Match": etag } });
  },
  "GET /pet/:petId": async () => rowsOf("GET", (await createPet(largest())).path),
  "POST /pet/:petId": async () => {
    const { path } = await createPet(largest());
    const body = new URLSearchParams({ name: "Max", status: "sold" });
    return rowsOf("POST", path, { body, headers: withKey() });
  },
  "DELETE /pet/:petId": async () => {
    const { id, path, etag } = await createPet(largest());
    await keepImages(id, MAX_IMAGES);
    return rowsOf("DELETE", path, { headers: { "If-Match": etag } });
  },
  "POST /pet/:petId/uploadImage": async () => {
    const { id, path } = await createPet(largest());
    await keepImages(id, MAX_IMAGES - 1);
    const body = imageForm(new File([PNG], "rex.png"));
    return rowsOf("POST", `${path}/uploadImage`, { body, headers: withKey() });
  },
  "GET /pet/:petId/images/:name": async () => rowsOf("GET", "/pet/1/images/none.png", {}, 404),
  "GET /store/inventory": async () => rowsOf("GET", "/store/inventory"),
  "POST /store/order": async () => {
    await freeOrderIds();
    for (let count = 1; count <= 11; count++) await send("POST", "/store/order", { json: {} });
    return rowsOf("POST", "/store/order", { json: {}, headers: withKey() });
  },
  "GET /store/order/:orderId": async () => {
    await send("POST", "/store/order", { json: { id: 1 } });
    return rowsOf("GET", "/store/order/1");
  },
  "DELETE /store/order/:orderId": async () => {
    const [id = 0] = await idsBetween("orders", 1);
    const { headers } = await send("POST", "/store/order", { json: { id } });
    const condition = { headers: { "If-Match": headers.get("etag") ?? "" } };
    return rowsOf("DELETE", `/store/order/${id}`, condition);
  },
  "POST /user": async () => {
    const [id] = await idsBetween("users", 1);
    return rowsOf("POST", "/user", {
      json: { id, username: uniqueName("most"), password: "p" },
      headers: withKey(),
    });
  },
  "POST /user/createWithArray": async () => manyUsers("/user/createWithArray"),
  "POST /user/createWithList": async () => manyUsers("/user/createWithList"),
  "GET /user/login": async () => {
    const { shown } = await createUser({ password: "p" });
    return rowsOf("GET", `/user/login?username=${shown.username}&password=p`);
  },
  "GET /user/logout": async () => {
    const { shown } = await createUser({ password: "p" });
    const token = tokenOf(await logIn(shown.username, "p"));
    return rowsOf("GET", "/user/logout", { headers: { Authorization: `Bearer ${token}` } });
  },
  "GET /user/:username": async () => rowsOf("GET", (await createUser()).path),
  "PUT /user/:username": async () => {
    const { path, etag } = await createUser();
    return rowsOf("PUT", path, {
      json: { username: uniqueName("renamed"), password: "p" },
      headers: { "If-Match": etag },
    });
  },
  "DELETE /user/:username": async () => {
    const { id, path, etag } = await createUser();
    await env.DB.batch([
      env.DB.prepare("DELETE FROM orders WHERE id <= 10"),
      env.DB.prepare(
        "INSERT INTO orders (id, owner) SELECT value, accountId FROM users, json_each('[1,2,3,4,5,6,7,8,9,10]') WHERE users.id = ?",
      ).bind(id),
    ]);
    return rowsOf("DELETE", path, { headers: { "If-Match": etag } });
  },
};

/** What D1 bills for each, at most, where no session is proven and `If-Match` names one tag. */
const MOST: Readonly<Record<string, Rows>> = {
  "POST /pet": { read: 125, written: 109 },
  "PUT /pet": { read: 509, written: 204 },
  "GET /pet/:petId": { read: 1, written: 0 },
  "POST /pet/:petId": { read: 11, written: 6 },
  "DELETE /pet/:petId": { read: 1106, written: 402 },
  "POST /pet/:petId/uploadImage": { read: 118, written: 6 },
  "GET /pet/:petId/images/:name": { read: 0, written: 0 },
  "GET /store/inventory": { read: 3, written: 0 },
  "POST /store/order": { read: 37, written: 5 },
  "GET /store/order/:orderId": { read: 1, written: 0 },
  "DELETE /store/order/:orderId": { read: 3, written: 1 },
  "POST /user": { read: 24, written: 8 },
  "POST /user/createWithArray": { read: 1599, written: 500 },
  "POST /user/createWithList": { read: 1599, written: 500 },
  "GET /user/login": { read: 1, written: 0 },
  "GET /user/logout": { read: 0, written: 0 },
  "GET /user/:username": { read: 1, written: 0 },
  "PUT /user/:username": { read: 3, written: 2 },
  "DELETE /user/:username": { read: 13, written: 11 },
};

describe("the most rows that one request reads and writes", () => {
  test.each(Object.entries(MOST))("are known: %s", async (name, most) => {
    expect(await WORST[name]?.()).toEqual(most);
  });

  test("are known of every operation but the finders", () => {
    const finders = ["GET /pet/findByStatus", "GET /pet/findByTags"];
    expect([...Object.keys(MOST), ...finders].toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    expect(Object.keys(WORST)).toEqual(Object.keys(MOST));
  });

  test.each(Object.entries(MOST))("stand in docs/scale.md: %s", (name, { read, written }) => {
    const cells = ["", `\`${name.replaceAll(/:(\w+)/g, "{$1}")}\``, String(read), String(written)];
    const lines = scale.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(lines).toContainEqual([...cells, expect.any(String), ""]);
  });
});
