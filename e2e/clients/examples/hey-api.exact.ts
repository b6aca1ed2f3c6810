import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import * as petstore from "../generated/hey-api.exact/index.ts";
import { client } from "../generated/hey-api.exact/client.gen.ts";

const baseUrl = process.env["PETSTORE"];

client.setConfig({ baseUrl, throwOnError: true });

const { data: pet } = await petstore.addPet({
  body: { name: "Rex", photoUrls: ["rex.png"], tags: [{ name: "dog" }], status: "available" },
  throwOnError: true,
});
const path = { petId: pet.id };
await petstore.updatePet({ body: { ...pet, status: "pending" } });
const { data: found } = await petstore.getPetById({ path });
assert.deepEqual(found, { ...pet, status: "pending" });

await petstore.updatePetWithForm({ path, body: { name: "Max", status: "sold" } });
const { data: sold } = await petstore.findPetsByStatus({ query: { status: ["sold", "pending"] } });
assert.deepEqual(sold, [{ ...pet, name: "Max", status: "sold" }]);
const file = new File([await openAsBlob("rex.png")], "rex.png");
await petstore.uploadFile({ path, body: { additionalMetadata: "at the lake", file } });
const { data: inventory } = await petstore.getInventory();
assert.deepEqual(inventory, { available: 0, pending: 0, sold: 1 });
await petstore.deletePet({ path, headers: { api_key: "special-key" } });
await assert.rejects(async () => petstore.getPetById({ path }), { code: 404, type: "error" });

const { data: order } = await petstore.placeOrder({
  body: { petId: pet.id, quantity: 1, shipDate: new Date(0).toISOString(), status: "placed" },
  throwOnError: true,
});
const orderPath = { orderId: order.id };
assert.deepEqual((await petstore.getOrderById({ path: orderPath })).data, order);
await petstore.deleteOrder({ path: orderPath });

const user = { username: "theUser", firstName: "John", email: "john@email.com", password: "12345" };
const { username, password } = user;
await petstore.createUser({ body: user });
await petstore.createUsersWithListInput({ body: [{ username: "other" }] });
const { data: login } = await petstore.loginUser({ query: { username, password } });
assert.match(login?.message ?? "", /^logged in user session:/);
await petstore.updateUser({ path: { username }, body: { phone: "12345" } });
const { data: shown } = await petstore.getUserByName({ path: { username } });
assert.partialDeepStrictEqual(shown, { ...user, phone: "12345" });
await petstore.logoutUser();
await petstore.deleteUser({ path: { username } });
await petstore.deleteUser({ path: { username: "other" } });
