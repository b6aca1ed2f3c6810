import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { createApiClient } from "../generated/openapi-zod-client.exact.ts";

const baseUrl = process.env["PETSTORE"] ?? "";

const petstore = createApiClient(baseUrl);

const pet = await petstore.addPet({
  name: "Rex",
  photoUrls: ["rex.png"],
  tags: [{ name: "dog" }],
  status: "available",
});
const one = { params: { petId: pet.id } };
await petstore.updatePet({ ...pet, status: "pending" });
assert.deepEqual(await petstore.getPetById(one), { ...pet, status: "pending" });

await petstore.updatePetWithForm({ name: "Max", status: "sold" }, one);
const sold = await petstore.findPetsByStatus({ queries: { status: ["sold", "pending"] } });
assert.deepEqual(sold, [{ ...pet, name: "Max", status: "sold" }]);
const file = new File([await openAsBlob("rex.png")], "rex.png");
await petstore.uploadFile({ additionalMetadata: "at the lake", file }, one);
assert.deepEqual(await petstore.getInventory(), { available: 0, pending: 0, sold: 1 });
await petstore.deletePet(undefined, { ...one, headers: { api_key: "special-key" } });
await assert.rejects(async () => petstore.getPetById(one), { status: 404 });

const order = await petstore.placeOrder({
  petId: pet.id,
  quantity: 1,
  shipDate: new Date(0).toISOString(),
  status: "placed",
});
const placed = { params: { orderId: order.id } };
assert.deepEqual(await petstore.getOrderById(placed), order);
await petstore.deleteOrder(undefined, placed);

const user = { username: "theUser", firstName: "John", email: "john@email.com", password: "12345" };
const { username, password } = user;
await petstore.createUser(user);
await petstore.createUsersWithListInput([{ username: "other" }]);
const login = await petstore.loginUser({ queries: { username, password } });
assert.match(login.message ?? "", /^logged in user session:/);
const named = { params: { username } };
await petstore.updateUser({ phone: "12345" }, named);
assert.partialDeepStrictEqual(await petstore.getUserByName(named), { ...user, phone: "12345" });
await petstore.logoutUser();
await petstore.deleteUser(undefined, named);
await petstore.deleteUser(undefined, { params: { username: "other" } });
