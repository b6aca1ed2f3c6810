import assert from "node:assert/strict";
import { Api } from "../generated/swagger-typescript-api.classic/petstore.ts";
import type { Pet } from "../generated/swagger-typescript-api.classic/petstore.ts";
import { walkOn } from "../walk.ts";

const baseUrl = process.env["PETSTORE"];

const { pet: pets, store, user: users } = new Api({ baseUrl });

const body: Pet = { id: 1001, name: "doggie", photoUrls: ["rex.png"], status: "available" };
await pets.addPet(body);
const { data: pet } = await pets.getPetById(1001);
assert.deepEqual(pet, body);
await pets.updatePet(pet);
await pets.updatePetWithForm(1001, { name: "Rex", status: "sold" });

await walkOn({ ...pets, ...store, ...users }, { ...pet, name: "Rex", status: "sold" });
