import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import axios from "axios";
import * as petstore from "../generated/orval.exact/petstore.ts";

const baseUrl = process.env["PETSTORE"];

axios.defaults.baseURL = baseUrl;
axios.defaults.paramsSerializer = { indexes: null };

const { data: pet } = await petstore.addPet({
  name: "Rex",
  photoUrls: ["rex.png"],
  tags: [{ name: "dog" }],
  status: "available",
});
await petstore.updatePet({ ...pet, status: "pending" });
const { data: found } = await petstore.getPetById(pet.id);
assert.deepEqual(found, { ...pet, status: "pending" });

await petstore.updatePetWithForm(pet.id, { name: "Max", status: "sold" });
const { data: sold } = await petstore.findPetsByStatus({ status: ["sold", "pending"] });
assert.deepEqual(sold, [{ ...pet, name: "Max", status: "sold" }]);
const file = new File([await openAsBlob("rex.png")], "rex.png");
await petstore.uploadFile(pet.id, { additionalMetadata: "at the lake", file });
assert.deepEqual((await petstore.getInventory()).data, { available: 0, pending: 0, sold: 1 });
await petstore.deletePet(pet.id, { headers: { api_key: "special-key" } });
await assert.rejects(async () => petstore.getPetById(pet.id), { status: 404 });

const { data: order } = await petstore.placeOrder({
  petId: pet.id,
  quantity: 1,
  shipDate: new Date(0).toISOString(),
  status: "placed",
});
assert.deepEqual((await petstore.getOrderById(order.id)).data, order);
await petstore.deleteOrder(order.id);

const user = { username: "theUser", firstName: "John", email: "john@email.com", password: "12345" };
const { username, password } = user;
await petstore.createUser(user);
await petstore.createUsersWithListInput([{ username: "other" }]);
const { data: login } = await petstore.loginUser({ username, password });
assert.match(login.message ?? "", /^logged in user session:/);
await petstore.updateUser(username, { phone: "12345" });
const { data: shown } = await petstore.getUserByName(username);
assert.partialDeepStrictEqual(shown, { ...user, phone: "12345" });
await petstore.logoutUser();
await petstore.deleteUser(username);
await petstore.deleteUser("other");
