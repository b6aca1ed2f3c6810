import { startPetStore } from "pet-store-service";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PetClient } from "../client.js";

let store;
let client;
beforeAll(async () => {
  store = await startPetStore({ data: "empty" });
  client = new PetClient(store.url);
}, 60_000);
beforeEach(async () => store.reset());
afterAll(async () => store?.stop());

test("finds a pet that it added", async () => {
  const { id } = await client.addPet({ name: "Rex", photoUrls: [] });
  expect(await client.findPet(id)).toEqual({ id: 1, name: "Rex", photoUrls: [] });
});

test("says what is wrong with a pet", async () => {
  const { cause } = await client.addPet({ name: "" }).catch((error) => error);
  expect(cause.errors.map(({ path }) => path)).toEqual(["name", "photoUrls"]);
});

test("adds one pet, even if the first response is lost", async () => {
  // The service stores the pet, but returns 503.
  await store.faults([{ operationId: "addPet", times: 1, status: 503, after: true, retryAfter: 0 }]);
  await client.addPet({ name: "Rex", photoUrls: [] });
  const { pets } = await store.data();
  expect(pets).toHaveLength(1);
  const [second, first] = await store.requests({ operationId: "addPet" });
  expect([first.status, second.status]).toEqual([503, 200]);
  // Both attempts sent the same key.
  const [firstKey, secondKey] = [first, second].map((each) => each.requestHeaders["idempotency-key"]);
  expect(secondKey).toBe(firstKey);
});

test("gives up after three attempts", async () => {
  await store.faults([{ path: "/pet/{petId}", status: 503, retryAfter: 0 }]);
  await expect(client.findPet(1)).rejects.toThrow("unavailable");
  expect(await store.requests()).toHaveLength(3);
});
