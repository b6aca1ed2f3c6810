// The client that OpenAPI Generator makes of swagger.json for axios. Like the samples of Petstore, it does everything with a
// pet, an order and a user.
import assert from "node:assert/strict";
import { OrderStatusEnum, PetApi, PetStatusEnum, StoreApi, UserApi } from "../generated/axios/index.ts";

const base = `${process.env["SANDBOX"]}/v2`;
const pets = new PetApi(undefined, base);
const store = new StoreApi(undefined, base);
const users = new UserApi(undefined, base);

const pet = {
  id: 1001,
  name: "doggie",
  photoUrls: ["rex.png"],
  tags: [{ name: "dog" }],
  status: PetStatusEnum.Available,
};
await pets.addPet(pet);
assert.deepEqual((await pets.getPetById(pet.id)).data, pet);
await pets.updatePet({ ...pet, status: PetStatusEnum.Pending });
await pets.updatePetWithForm(pet.id, "Rex", "sold");
const file = new File(["hello"], "hello.txt", { type: "text/plain" });
const { data: uploaded } = await pets.uploadFile(pet.id, "at the lake", file);
assert.match(uploaded.message ?? "", /at the lake[^]*hello\.txt, 5 bytes$/);
const { data: sold } = await pets.findPetsByStatus(["sold", "pending"]);
assert.deepEqual(
  sold.map(({ name }) => name),
  ["Rex"],
);
assert.equal((await pets.findPetsByTags(["dog"])).data.length, 1);
assert.deepEqual((await store.getInventory()).data, { available: 0, pending: 0, sold: 1 });
await pets.deletePet(pet.id, "special-key");
await assert.rejects(pets.getPetById(pet.id), { status: 404 });

const order = { id: 7, petId: 1001, quantity: 1, status: OrderStatusEnum.Placed };
assert.deepEqual((await store.placeOrder(order)).data, order);
assert.deepEqual((await store.getOrderById(order.id)).data, order);
await store.deleteOrder(order.id);

const user = { id: 1001, username: "ada", email: "ada@pets.example", password: "12345" };
const others = ["bea", "cleo"];
await users.createUser(user);
await users.createUsersWithArrayInput([{ username: "bea" }]);
await users.createUsersWithListInput([{ username: "cleo" }]);
const login = await users.loginUser(user.username, user.password);
assert.match(JSON.stringify(login.data), /logged in user session:/);
await users.updateUser(user.username, { ...user, phone: "1" });
assert.deepEqual((await users.getUserByName(user.username)).data, { ...user, phone: "1" });
await users.logoutUser();
for (const username of [user.username, ...others]) await users.deleteUser(username);
