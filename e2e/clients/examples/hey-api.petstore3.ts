import * as petstore from "../generated/hey-api.petstore3/index.ts";
import { client } from "../generated/hey-api.petstore3/client.gen.ts";
import { BASE, walk } from "../walk.ts";

client.setConfig({ baseUrl: BASE, throwOnError: true });

const throwOnError = true;
await walk({
  addPet: async (body) => petstore.addPet({ body }),
  updatePet: async (body) => petstore.updatePet({ body }),
  getPetById: async (petId) => petstore.getPetById({ path: { petId }, throwOnError }),
  updatePetWithForm: async (petId, name, status) =>
    petstore.updatePetWithForm({ path: { petId }, query: { name, status } }),
  uploadFile: async (petId, additionalMetadata, body) =>
    petstore.uploadFile({ path: { petId }, query: { additionalMetadata }, body, throwOnError }),
  findPetsByStatus: async ([status]) =>
    petstore.findPetsByStatus({ query: { status }, throwOnError }),
  getInventory: async () => petstore.getInventory({ throwOnError }),
  deletePet: async (petId, api_key) =>
    petstore.deletePet({ path: { petId }, headers: { api_key } }),
  placeOrder: async (body) => petstore.placeOrder({ body, throwOnError }),
  getOrderById: async (orderId) => petstore.getOrderById({ path: { orderId }, throwOnError }),
  deleteOrder: async (orderId) => petstore.deleteOrder({ path: { orderId } }),
  createUser: async (body) => petstore.createUser({ body }),
  createUsersWithListInput: async (body) => petstore.createUsersWithListInput({ body }),
  loginUser: async (username, password) => petstore.loginUser({ query: { username, password } }),
  updateUser: async (username, body) => petstore.updateUser({ path: { username }, body }),
  getUserByName: async (username) => petstore.getUserByName({ path: { username }, throwOnError }),
  logoutUser: async () => petstore.logoutUser(),
  deleteUser: async (username) => petstore.deleteUser({ path: { username } }),
});
