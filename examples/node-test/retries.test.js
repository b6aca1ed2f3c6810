import assert from "node:assert/strict";
import { test } from "node:test";
import { startPetStore } from "pet-store-service";

/** The client under test. Every attempt sends the same key. */
async function createPet(url, pet) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() };
  const request = { method: "POST", headers, body: JSON.stringify(pet) };
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch(`${url}/pet`, request);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

test("creates one pet, even if the first response is lost", async (t) => {
  const store = await startPetStore({ data: "empty" });
  t.after(() => store.stop());
  // The store creates the pet, and closes the connection without a response.
  await store.faults([{ operationId: "addPet", times: 1, after: true, break: "connection" }]);

  await createPet(store.url, { name: "Rex", photoUrls: [] });

  const [second, first] = await store.requests();
  assert.deepEqual([first.status, second.status], [0, 200]);
  const { pets } = await store.data();
  assert.deepEqual(pets, [{ id: 1, name: "Rex", photoUrls: [] }]);
});
