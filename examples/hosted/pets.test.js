import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PetClient } from "../client.js";

const HOST = process.env.PET_STORE_HOST ?? "https://pets.example";

let store; // the address of a sandbox: https://pets.example/stores/<UUID>
beforeAll(async () => {
  const made = await fetch(`${HOST}/stores`, { method: "POST" });
  store = new URL(made.headers.get("Location"), HOST).href;
}, 60_000);
beforeEach(async () => {
  await fetch(`${store}/data`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ data: "classic" }),
  });
});
afterAll(async () => store && fetch(store, { method: "DELETE" }));

test("finds a pet of the classic Petstore", async () => {
  const pet = await new PetClient(`${store}/v2`).findPet(1);
  expect(pet.name).toBe("Cat 1");
});

test("adds a pet", async () => {
  const pet = await new PetClient(`${store}/v2`).addPet({ name: "Rex", photoUrls: [] });
  expect(pet.id).toBe(11);
});
