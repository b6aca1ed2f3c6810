import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import axios from "axios";
import * as petstore from "../generated/orval.classic/petstore.ts";

const baseUrl = process.env["PETSTORE"];

axios.defaults.baseURL = baseUrl;
axios.defaults.paramsSerializer = { indexes: null };

const body: petstore.Pet = {
  id: 1001,
  name: "doggie",
  photoUrls: ["rex.png"],
  status: "available",
};
await petstore.addPet(body);
const { data: pet } = await petstore.getPetById(1001);
assert.deepEqual(pet, body);
await petstore.updatePet(pet);
await petstore.updatePetWithForm(1001, { name: "Rex", status: "sold" });

const file = new File([await openAsBlob("rex.png")], "rex.png");
const { data: uploaded } = await petstore.uploadFile(1001, {
  additionalMetadata: "at the lake",
  file,
});
assert.match(uploaded.message ?? "", /at the lake/);
const { data: sold } = await petstore.findPetsByStatus({ status: ["sold", "pending"] });
assert.partialDeepStrictEqual(sold, [{ ...pet, name: "Rex", status: "sold" }]);
assert.deepEqual((await petstore.getInventory()).data, { available: 0, pending: 0, sold: 1 });
await petstore.deletePet(1001, { headers: { api_key: "special-key" } });
await assert.rejects(async () => petstore.getPetById(1001), { status: 404 });

const shipDate = new Date(0).toISOString();
const order: petstore.Order = { id: 7, petId: 1001, quantity: 1, shipDate, status: "placed" };
assert.deepEqual((await petstore.placeOrder(order)).data, order);
assert.deepEqual((await petstore.getOrderById(7)).data, order);
await petstore.deleteOrder(7);

const user = { id: 1001, username: "theUser", email: "john@email.com", password: "12345" };
const { username, password } = user;
await petstore.createUser(user);
await petstore.createUsersWithListInput([{ username: "other" }]);
await petstore.loginUser({ username, password });
await petstore.updateUser(username, { ...user, phone: "12345" });
assert.deepEqual((await petstore.getUserByName(username)).data, { ...user, phone: "12345" });
await petstore.logoutUser();
await petstore.deleteUser(username);
await petstore.deleteUser("other");
