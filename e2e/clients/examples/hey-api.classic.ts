import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import * as petstore from "../generated/hey-api.classic/index.ts";
import { client } from "../generated/hey-api.classic/client.gen.ts";

const baseUrl = process.env["PETSTORE"];

client.setConfig({ baseUrl, throwOnError: true });

const body: petstore.Pet = {
  id: 1001,
  name: "doggie",
  photoUrls: ["rex.png"],
  status: "available",
};
const path = { petId: 1001 };
await petstore.addPet({ body });
const { data: pet } = await petstore.getPetById({ path, throwOnError: true });
assert.deepEqual(pet, body);
await petstore.updatePet({ body: pet });
await petstore.updatePetWithForm({ path, body: { name: "Rex", status: "sold" } });

const file = new File([await openAsBlob("rex.png")], "rex.png");
await petstore.uploadFile({ path, body: { additionalMetadata: "at the lake", file } });
const { data: sold } = await petstore.findPetsByStatus({ query: { status: ["sold", "pending"] } });
assert.partialDeepStrictEqual(sold, [
  { ...pet, name: "Rex", status: "sold", photoUrls: ["rex.png"] },
]);
const { data: inventory } = await petstore.getInventory();
assert.deepEqual(inventory, { available: 0, pending: 0, sold: 1 });
await petstore.deletePet({ path, headers: { api_key: "special-key" } });
await assert.rejects(async () => petstore.getPetById({ path }), { code: 404, type: "error" });

const order: petstore.Order = {
  id: 7,
  petId: 1001,
  quantity: 1,
  shipDate: new Date(0).toISOString(),
  status: "placed",
};
assert.deepEqual((await petstore.placeOrder({ body: order })).data, order);
assert.deepEqual((await petstore.getOrderById({ path: { orderId: 7 } })).data, order);
await petstore.deleteOrder({ path: { orderId: 7 } });

const user = { id: 1001, username: "theUser", email: "john@email.com", password: "12345" };
const { username, password } = user;
await petstore.createUser({ body: user });
await petstore.createUsersWithListInput({ body: [{ username: "other" }] });
await petstore.loginUser({ query: { username, password } });
await petstore.updateUser({ path: { username }, body: { ...user, phone: "12345" } });
const { data: shown } = await petstore.getUserByName({ path: { username } });
assert.deepEqual(shown, { ...user, phone: "12345" });
await petstore.logoutUser();
await petstore.deleteUser({ path: { username } });
await petstore.deleteUser({ path: { username: "other" } });
