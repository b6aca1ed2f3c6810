import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { Api } from "../generated/swagger-typescript-api.exact/petstore.ts";

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
const { data: sold } = await pets.findPetsByStatus({ status: ["sold", "pending"] });
assert.deepEqual(sold, [{ ...pet, name: "Max", status: "sold" }]);
const file = new File([await openAsBlob("rex.png")], "rex.png");
await pets.uploadFile(pet.id, { additionalMetadata: "at the lake", file });
assert.deepEqual((await store.getInventory()).data, { available: 0, pending: 0, sold: 1 });
await pets.deletePet(pet.id, { headers: { api_key: "special-key" } });
await assert.rejects(async () => pets.getPetById(pet.id), { status: 404 });

const { data: order } = await store.placeOrder({
  petId: pet.id,
  quantity: 1,
  shipDate: new Date(0).toISOString(),
  status: "placed",
});
assert.deepEqual((await store.getOrderById(order.id)).data, order);
await store.deleteOrder(order.id);

const user = { username: "theUser", firstName: "John", email: "john@email.com", password: "12345" };
const { username, password } = user;
await users.createUser(user);
await users.createUsersWithListInput([{ username: "other" }]);
const { data: login } = await users.loginUser({ username, password });
assert.match(login.message ?? "", /^logged in user session:/);
await users.updateUser(username, { phone: "12345" });
const { data: shown } = await users.getUserByName(username);
assert.partialDeepStrictEqual(shown, { ...user, phone: "12345" });
await users.logoutUser();
await users.deleteUser(username);
await users.deleteUser("other");
