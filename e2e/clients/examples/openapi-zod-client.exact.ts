import { createApiClient } from "../generated/openapi-zod-client.exact.ts";
import { BASE, walk } from "../walk.ts";

const petstore = createApiClient(BASE);

/** The walk expects an object with the result. */
const data = async <Result>(result: Promise<Result>) => ({ data: await result });

await walk({
  addPet: async (pet) => data(petstore.addPet(pet)),
  updatePet: async (pet) => data(petstore.updatePet(pet)),
  getPetById: async (petId) => data(petstore.getPetById({ params: { petId } })),
  updatePetWithForm: async (petId, name, status) =>
    data(petstore.updatePetWithForm({ name, status }, { params: { petId } })),
  uploadFile: async (petId, additionalMetadata, file) =>
    data(petstore.uploadFile({ additionalMetadata, file }, { params: { petId } })),
  findPetsByStatus: async (status) => data(petstore.findPetsByStatus({ queries: { status } })),
  getInventory: async () => data(petstore.getInventory()),
  deletePet: async (petId, api_key) =>
    petstore.deletePet(undefined, { params: { petId }, headers: { api_key } }),
  placeOrder: async (order) => data(petstore.placeOrder(order)),
  getOrderById: async (orderId) => data(petstore.getOrderById({ params: { orderId } })),
  deleteOrder: async (orderId) => petstore.deleteOrder(undefined, { params: { orderId } }),
  createUser: async (user) => data(petstore.createUser(user)),
  createUsersWithListInput: async (users) => data(petstore.createUsersWithListInput(users)),
  loginUser: async (username, password) =>
    data(petstore.loginUser({ queries: { username, password } })),
  updateUser: async (username, user) => data(petstore.updateUser(user, { params: { username } })),
  getUserByName: async (username) => data(petstore.getUserByName({ params: { username } })),
  logoutUser: async () => petstore.logoutUser(),
  deleteUser: async (username) => petstore.deleteUser(undefined, { params: { username } }),
});
