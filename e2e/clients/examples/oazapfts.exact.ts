import { ok } from "@oazapfts/runtime";
import * as petstore from "../generated/oazapfts.exact.ts";
import { BASE, walk } from "../walk.ts";

petstore.defaults.baseUrl = BASE;

/** The data of a success. `ok` throws any other answer. */
const dataOf = async <Data>(data: Promise<Data>) => ({ data: await data });

await walk({
  addPet: async (pet) => dataOf(ok(petstore.addPet(pet))),
  updatePet: async (pet) => dataOf(ok(petstore.updatePet(pet))),
  getPetById: async (id) => dataOf(ok(petstore.getPetById(id))),
  updatePetWithForm: async (id, name, status) =>
    dataOf(ok(petstore.updatePetWithForm(id, { name, status }))),
  uploadFile: async (id, additionalMetadata, file) =>
    dataOf(ok(petstore.uploadFile(id, { additionalMetadata, file }))),
  findPetsByStatus: async (status) => dataOf(ok(petstore.findPetsByStatus(status))),
  getInventory: async () => dataOf(ok(petstore.getInventory())),
  deletePet: async (id, apiKey) => ok(petstore.deletePet(id, { apiKey })),
  placeOrder: async (order) => dataOf(ok(petstore.placeOrder(order))),
  getOrderById: async (id) => dataOf(ok(petstore.getOrderById(id))),
  deleteOrder: async (id) => ok(petstore.deleteOrder(id)),
  createUser: async (user) => dataOf(ok(petstore.createUser(user))),
  createUsersWithListInput: async (users) => dataOf(ok(petstore.createUsersWithListInput(users))),
  loginUser: async (username, password) => dataOf(ok(petstore.loginUser(username, password))),
  updateUser: async (username, user) => dataOf(ok(petstore.updateUser(username, user))),
  getUserByName: async (username) => dataOf(ok(petstore.getUserByName(username))),
  logoutUser: async () => ok(petstore.logoutUser()),
  deleteUser: async (username) => ok(petstore.deleteUser(username)),
});
