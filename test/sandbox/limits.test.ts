import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { outcome, refusal } from "../fixtures.ts";
import { imageForm, upload } from "../images.ts";
import { PET, leftOf, newStore } from "./store.ts";
import type { Own } from "./store.ts";

const FULL = refusal(507, "the store is full: it has at most 10 MB");

/** As large as a pet may be, about. */
const large = {
  name: "x".repeat(4096),
  photoUrls: Array.from({ length: 10 }, () => "y".repeat(4000)),
};

/** A store that has little room left, with so many large pets. */
async function nearlyFull(count = 213): Promise<Own> {
  const store = newStore();
  await store.send("POST", "/pet", { json: { ...PET, status: "sold", tags: ["dog"] } });
  await runInDurableObject(store.object, (_, { storage }) => {
    storage.sql.exec(
      `INSERT INTO pets (id, name, photoUrls)
       WITH RECURSIVE ids(id) AS (SELECT 100 UNION ALL SELECT id + 1 FROM ids WHERE id < 99 + ?)
       SELECT id, ?, ? FROM ids`,
      count,
      large.name,
      JSON.stringify(large.photoUrls),
    );
  });
  return store;
}

const bytesOf = async ({ manage }: Own) =>
  ((await manage("GET", "")).json as { bytes: number }).bytes;

describe("a store of 10 MB", () => {
  test("refuses what would make it larger with 507, does nothing of it, and has room again after deletes §10.5.1", async () => {
    const store = await nearlyFull();
    let stored = 0;
    let answer = await store.send("POST", "/pet", { json: large });
    for (; answer.status === 200; stored++) {
      answer = await store.send("POST", "/pet", { json: large });
    }
    expect(outcome(answer)).toEqual(FULL);
    const { json } = await store.manage("GET", "");
    const bytes = await bytesOf(store);
    expect(bytes).toBeLessThanOrEqual(10_000_000);
    expect(bytes).toBeGreaterThan(9_900_000);

    const key = { "Idempotency-Key": "full" };
    const manyUsers = Array.from({ length: 60 }, () => ({ firstName: large.name }));
    for (const refused of [
      await store.send("POST", "/pet", { json: large, headers: key }),
      await store.send("POST", "/pet", { json: { ...large, status: "sold", tags: ["cat"] } }),
      await store.send("PUT", "/pet", { json: { ...large, id: 1, status: "pending" } }),
      await store.send("POST", "/user/createWithList", { json: manyUsers }),
    ]) {
      expect(outcome(refused)).toEqual(FULL);
    }
    expect((await store.manage("GET", "")).json).toEqual({
      ...(json as object),
      bytes: expect.any(Number) as number,
    });
    expect((await store.send("GET", "/pet/1")).json).toMatchObject(PET);
    expect((await store.send("GET", "/store/inventory")).json).toMatchObject({
      sold: 1,
      pending: 0,
    });
    expect((await store.send("GET", "/pet/findByTags?tags=cat")).json).toEqual([]);

    for (let id = 100; id < 110; id++) {
      expect((await store.send("DELETE", `/pet/${id}`)).status).toBe(200);
    }
    expect((await store.send("POST", "/pet", { json: large, headers: key })).status).toBe(200);
    expect((await store.manage("PUT", "/data", { json: { data: "classic" } })).status).toBe(204);
    expect((await store.send("POST", "/pet", { json: large })).status).toBe(200);
  });
});

test("a store that a migration made larger than it may be still deletes and changes §10.5.1", async () => {
  const store = await nearlyFull(260);
  expect(await bytesOf(store)).toBeGreaterThan(10_000_000);
  expect((await store.send("DELETE", "/pet/100")).status).toBe(200);
  expect((await store.send("PUT", "/pet", { json: { ...PET, id: 101 } })).status).toBe(200);
});

const uploadTo = async (store: Own, id: number) =>
  store.send("POST", `/pet/${id}/uploadImage`, upload());

/** A store of two pets, with so many images; R2 has but the last. */
async function pictured(count: number): Promise<Own> {
  const store = newStore();
  for (const id of [1, 2]) await store.send("POST", "/pet", { json: { ...PET, id } });
  await runInDurableObject(store.object, (_, { storage }) => {
    for (let image = 1; image < count; image++) {
      storage.sql.exec(
        "INSERT INTO pet_images (petId, name, dueAt) VALUES (?, ?, NULL)",
        1 + (image % 2),
        `${crypto.randomUUID()}.png`,
      );
    }
  });
  expect((await uploadTo(store, 1)).status).toBe(200);
  return store;
}

describe("a store of 100 images", () => {
  const MANY = refusal(507, "the store is full: it has at most 100 images");

  test("refuses another with 507, stores nothing of it, and takes one when there is room §10.5.1", async () => {
    const store = await pictured(100);
    const before = (await store.manage("GET", "/data")).json;
    expect(outcome(await uploadTo(store, 1))).toEqual(MANY);
    expect((await store.manage("GET", "/data")).json).toEqual(before);
    expect((await leftOf(store)).images).toHaveLength(1);
    expect(outcome(await uploadTo(store, 3))).toEqual(refusal(404, "Pet not found"));

    expect((await store.send("DELETE", "/pet/1")).status).toBe(200);
    expect((await uploadTo(store, 2)).status).toBe(200);
    expect((await leftOf(store)).images).toHaveLength(1);
  });

  test("refuses a file beyond 50 MB in all with 507, stores nothing of it, and takes one that fits §10.5.1", async () => {
    const store = newStore();
    await store.send("POST", "/pet", { json: { ...PET, id: 1 } });
    const uploadOf = async (size: number) =>
      store.send("POST", "/pet/1/uploadImage", {
        body: imageForm(new File([new Uint8Array(size)], "zeros")),
      });
    for (let file = 0; file < 10; file++) {
      expect((await uploadOf(4_999_990)).status).toBe(200);
    }
    const before = (await store.manage("GET", "/data")).json;
    const full = refusal(507, "the store is full: its images have at most 50 MB");
    expect(outcome(await uploadOf(101))).toEqual(full);
    expect((await store.manage("GET", "/data")).json).toEqual(before);
    expect((await leftOf(store)).images).toHaveLength(10);
    expect((await uploadOf(100)).status).toBe(200);
    expect(outcome(await uploadOf(1))).toEqual(full);
  });

  test("has room for as many again once it is filled anew", async () => {
    const store = await pictured(100);
    await store.manage("PUT", "/data", { json: { pets: [{ id: 1, ...PET }] } });
    expect((await leftOf(store)).images).toEqual([]);
    expect((await uploadTo(store, 1)).status).toBe(200);
  });
});
