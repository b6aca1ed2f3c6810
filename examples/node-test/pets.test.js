import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startPetStore } from "pet-store-service";
import { PetClient } from "../client.js";

let store;
before(async () => {
  store = await startPetStore({
    data: { pets: [{ id: 7, name: "Rex", photoUrls: [], status: "available" }] },
  });
});
beforeEach(async () => store.reset());
after(async () => store?.stop());

test("finds a pet", async () => {
  const pet = await new PetClient(store.url).findPet(7);
  assert.equal(pet.name, "Rex");
});

test("waits as long as the service says", async () => {
  await store.faults([{ operationId: "getPetById", times: 1, status: 429, retryAfter: 1 }]);
  await new PetClient(store.url).findPet(7);
  const [second, first] = await store.requests();
  assert.equal(first.status, 429);
  assert.ok(second.at - first.at >= 1000);
});
