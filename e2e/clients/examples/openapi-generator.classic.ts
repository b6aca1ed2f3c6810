import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import * as petstore from "../generated/openapi-generator.classic/index.ts";
import type { Order, Pet } from "../generated/openapi-generator.classic/index.ts";

const basePath = process.env["PETSTORE"];

const configuration = new petstore.Configuration({ basePath });
const pets = new petstore.PetApi(configuration);
const store = new petstore.StoreApi(configuration);
const users = new petstore.UserApi(configuration);

const body: Pet = { id: 1001, name: "doggie", photoUrls: ["rex.png"] };
await pets.addPet({ ...body, status: petstore.PetStatusEnum.Available });
const { data: pet } = await pets.getPetById(1001);
await pets.updatePet(pet);
await pets.updatePetWithForm(1001, "Rex", "sold");

assert.deepEqual(pet, { ...body, status: "available" });
const file = new File([await openAsBlob("rex.png")], "rex.png");
const { data: uploaded } = await pets.uploadFile(1001, "at the lake", file);
assert.match(uploaded.message ?? "", /at the lake/);
const { data: sold } = await pets.findPetsByStatus(["sold", "pending"]);
assert.partialDeepStrictEqual(sold, [{ ...pet, name: "Rex", status: "sold" }]);
assert.deepEqual((await store.getInventory()).data, { available: 0, pending: 0, sold: 1 });
await pets.deletePet(1001, "special-key");
await assert.rejects(async () => pets.getPetById(1001), { status: 404 });

const shipDate = new Date(0).toISOString();
const status = petstore.OrderStatusEnum.Placed;
const order: Order = { id: 7, petId: 1001, quantity: 1, shipDate, status };
assert.deepEqual((await store.placeOrder(order)).data, order);
assert.deepEqual((await store.getOrderById(7)).data, order);
await store.deleteOrder(7);

const user = { id: 1001, username: "theUser", email: "john@email.com", password: "12345" };
const { username, password } = user;
await users.createUser(user);
await users.createUsersWithListInput([{ username: "other" }]);
await users.loginUser(username, password);
await users.updateUser(username, { ...user, phone: "12345" });
assert.deepEqual((await users.getUserByName(username)).data, { ...user, phone: "12345" });
await users.logoutUser();
await users.deleteUser(username);
await users.deleteUser("other");
