import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { createPet, createUser, formOf, getJson, logIn, sandbox, send } from "../client.ts";
import { classicSandbox, countFiles, objectOf, protect } from "./sandboxes.ts";

const PET = { name: "Rex", photoUrls: [] };
const EMPTY = { pets: [], orders: [], users: [] };

const put = async (path: string, json: unknown) => send("PUT", `${path}/data`, { json });

const inventoryOf = async (path: string) => getJson(`${path}/v2/store/inventory`);

describe("a sandbox's data", () => {
  test("is returned as it was put, and can be put into another sandbox", async () => {
    const pets = [
      { id: 7, name: "Rex", photoUrls: "a.png,b.png", tags: ["dog", { id: 1 }] },
      { name: "Max", photoUrls: [], category: { name: "Dogs" }, status: "sold" },
    ];
    const orders = [{ quantity: 1 }, { id: 1, petId: 7, complete: false }];
    const users = [
      { username: "ann", password: "pässword" },
      { id: 1, firstName: "Bob" },
    ];
    const shown = {
      pets: [{ id: 1, ...pets[1] }, pets[0]],
      orders: [orders[1], { id: 2, ...orders[0] }],
      users: [users[1], { id: 2, ...users[0] }],
    };
    const [one, other] = [sandbox(), sandbox()];
    expect((await put(one, { pets, orders, users })).status).toBe(204);
    expect(await getJson(`${one}/data`)).toEqual(shown);
    expect((await put(other, await getJson(`${one}/data`))).status).toBe(204);
    expect(await getJson(`${other}/data`)).toEqual(shown);
    await logIn({ username: "ann", password: "pässword" }, { base: `${other}/v2` });
    expect(await inventoryOf(other)).toEqual({ available: 0, pending: 0, sold: 1 });
    const dogs = await send("GET", `${other}/v2/pet/findByTags?tags=dog`);
    expect(await dogs.json()).toEqual([pets[0]]);
  });

  test("replaces all data, and IDs start over", async () => {
    const path = sandbox();
    const at = { base: `${path}/v2`, headers: { "Idempotency-Key": "one" } };
    await createPet({ tags: ["dog"], status: "sold" }, at);
    await createPet({ id: Number.MAX_SAFE_INTEGER }, { base: at.base });
    await createUser({ username: "ann" }, at);
    expect((await put(path, { data: "empty" })).status).toBe(204);
    expect(await getJson(`${path}/data`)).toEqual(EMPTY);
    expect(await inventoryOf(path)).toEqual({ available: 0, pending: 0, sold: 0 });
    expect(await getJson(`${at.base}/pet/findByTags?tags=dog`)).toEqual([]);
    expect(await createPet({ name: "Max" }, at)).toMatchObject({ id: 1, name: "Max" });
    expect(await createUser({}, at)).toMatchObject({ id: 1 });
    expect((await put(path, { pets: [{ ...PET, id: 2 }, PET] })).status).toBe(204);
    expect(await createPet({}, { base: at.base })).toMatchObject({ id: 3 });
  });

  test("is not cached, like every management endpoint", async () => {
    const path = await classicSandbox();
    for (const below of ["", "/data", "/access", "/faults", "/requests", "/requests?limit=none"]) {
      expect((await send("GET", path + below)).headers.get("cache-control")).toBe("no-store");
    }
  });

  test("can be the classic data", async () => {
    const path = sandbox();
    await put(path, { pets: [{ ...PET, id: 1000 }] });
    expect((await put(path, { data: "classic" })).status).toBe(204);
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(await getJson(`${path}/data`)).toMatchObject({
      pets: ids.map((id) => ({ id })),
      orders: [{ id: 8 }, { id: 9 }, { id: 10 }],
      users: ids.map((id) => ({ id: 1000 + id, username: `user${id}` })),
    });
    expect(await createPet({}, { base: `${path}/v2` })).toMatchObject({ id: 11 });
    const order = await send("POST", `${path}/v2/store/order`, { json: {} });
    expect(await order.json()).toEqual({ id: 1 });
  });

  test("clears sessions, files, and the request log", async () => {
    const path = await classicSandbox();
    const base = `${path}/v2`;
    const body = formOf({ file: new Blob(["a file"]) });
    await send("POST", `${base}/pet/1/uploadImage`, { body });
    const before = await countFiles();
    await protect(path, "a-key-of-this-sandbox");
    const token = await logIn({ username: "user1", password: "XXXXXXXXXXX" }, { base });
    const headers = { Authorization: `Bearer ${token}` };
    expect((await send("GET", `${base}/user/user1`, { headers })).status).toBe(200);

    expect((await put(path, { data: "classic" })).status).toBe(204);
    expect(await getJson(`${path}/requests`)).toEqual([]);
    expect((await send("GET", `${base}/user/user1`, { headers })).status).toBe(401);
    await expect.poll(countFiles).toBe(before - 1);
  });

  test.each<[string, unknown, ...string[]]>([
    ["no object", [], "body"],
    ["an unknown set", { data: "full" }, "data"],
    ["a property that every object inherits", { constructor: [] }, "constructor"],
    ["invalid pets", { pets: [PET, { name: "" }] }, "pets.1.name", "pets.1.photoUrls"],
    ["an invalid tag", { pets: [{ ...PET, tags: [{ name: 1 }] }] }, "pets.0.tags.0.name"],
    ["an invalid user", { users: [{}, { username: "login" }] }, "users.1.username"],
    ["1,001 pets", { pets: Array.from({ length: 1001 }, () => PET) }, "pets"],
    ["a pet twice", { pets: [{ ...PET, id: 1 }, PET, { ...PET, id: 1 }] }, "pets.2.id"],
    ["an order twice", { orders: [{ id: 1 }, { id: 1 }] }, "orders.1.id"],
    ["a username twice", { users: [{ username: "a" }, { username: "a" }] }, "users.1.username"],
  ])("is rejected, and nothing changes: %s", async (_, json, ...paths) => {
    const path = sandbox();
    await put(path, { pets: [{ id: 3, ...PET }] });
    const response = await put(path, json);
    expect(response.status).toBe(400);
    const { errors } = await response.json<{ errors: { path: string }[] }>();
    expect(errors.map((error) => error.path)).toEqual(paths);
    expect(await getJson(`${path}/data`)).toEqual({ ...EMPTY, pets: [{ id: 3, ...PET }] });
  });

  test("is replaced together with the sessions, which would fill the sandbox", async () => {
    const path = await classicSandbox();
    await logIn({ username: "user1", password: "XXXXXXXXXXX" }, { base: `${path}/v2` });
    const sessions = async () =>
      runInDurableObject(objectOf(path), (_, { storage }) => [...storage.kv.list({ prefix: "session:" })].length);
    expect(await sessions()).toBe(1);
    await put(path, { data: "classic" });
    expect(await sessions()).toBe(0);
  });

  test("can have 1,000 of each resource", async () => {
    const path = sandbox();
    const json = {
      pets: Array.from({ length: 1000 }, () => ({ ...PET, tags: ["dog"] })),
      orders: Array.from({ length: 1000 }, () => ({ quantity: 1 })),
      users: Array.from({ length: 1000 }, (_, at) => ({ username: `u${at}`, password: "secret" })),
    };
    expect((await put(path, json)).status).toBe(204);
    expect(await getJson(`${path}/data`)).toMatchObject(json);
    expect(await createPet({}, { base: `${path}/v2` })).toMatchObject({ id: 1001 });
  });

  test("can have 2 MiB", async () => {
    const path = sandbox();
    const users = Array.from({ length: 520 }, () => ({ firstName: "x".repeat(3992) }));
    const headers = { "content-type": "application/json" };
    const putBytes = async (bytes: number) => {
      const body = JSON.stringify({ users }).padEnd(bytes, " ");
      return (await send("PUT", `${path}/data`, { body, headers })).status;
    };
    expect(await putBytes(2 * 1024 * 1024)).toBe(204);
    expect(await putBytes(2 * 1024 * 1024 + 1)).toBe(413);
    expect(await getJson(path)).toMatchObject({ users: 520 });
  });
});
