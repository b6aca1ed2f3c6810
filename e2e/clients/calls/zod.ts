// The schemas that openapi-zod-client and Hey API make of openapi.json and of the document of Petstore 3.
import assert from "node:assert/strict";
import { zOrder as heyOrder3, zPet as heyPet3, zUser as heyUser3 } from "../generated/hey-petstore3/zod.gen.ts";
import { zNewOrder as heyOrder, zNewPet as heyPet, zNewUser as heyUser } from "../generated/hey-openapi/zod.gen.ts";
import { schemas } from "../generated/openapi.zod.ts";
import { schemas as schemas3 } from "../generated/petstore3.zod.ts";

const pet = { name: "Rex", photoUrls: ["https://pets.example/rex.jpg"], status: "available" };
const order = { petId: 1, shipDate: "2026-12-01T09:30:00.000Z" };
const user = { username: "ada", email: "ada@pets.example" };

for (const schema of [schemas.NewPet, schemas3.Pet, heyPet, heyPet3]) {
  assert.deepEqual(schema.parse(pet), pet);
  assert.equal(schema.safeParse({ ...pet, photoUrls: ["javascript:x"] }).success, false);
}
for (const schema of [schemas.NewOrder, schemas3.Order]) assert.deepEqual(schema.parse(order), order);
// Hey API reads integers of 64 bits as `bigint`.
for (const schema of [heyOrder, heyOrder3]) assert.deepEqual(schema.parse(order), { ...order, petId: 1n });
for (const schema of [schemas.NewUser, schemas3.User, heyUser, heyUser3]) assert.deepEqual(schema.parse(user), user);
