import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startPetStore } from "pet-store-service";
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
