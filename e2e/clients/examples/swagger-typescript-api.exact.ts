import assert from "node:assert/strict";
import { Api } from "../generated/swagger-typescript-api.exact/petstore.ts";
import { walkOn } from "../walk.ts";

const baseUrl = process.env["PETSTORE"];

const { pet: pets, store, user: users } = new Api({ baseUrl });

const { data: pet } = await pets.addPet({
  name: "Rex",
  photoUrls: ["rex.png"],
  tags: [{ name: "dog" }],
  status: "available",
});
await pets.updatePet({ ...pet, status: "pending" });
const { data: found } = await pets.getPetById(pet.id);
assert.deepEqual(found, { ...pet, status: "pending" });

await pets.updatePetWithForm(pet.id, { name: "Max", status: "sold" });
await walkOn({ ...pets, ...store, ...users }, { ...pet, name: "Max", status: "sold" });
