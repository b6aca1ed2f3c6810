import axios from "axios";
import * as petstore from "../generated/orval.classic/petstore.ts";
import { BASE, walk } from "../walk.ts";

axios.defaults.baseURL = BASE;

await walk({
  ...petstore,
  updatePetWithForm: async (id, name, status) => petstore.updatePetWithForm(id, { name, status }),
  uploadFile: async (id, additionalMetadata, file) =>
    petstore.uploadFile(id, { additionalMetadata, file }),
  findPetsByStatus: async (status) => petstore.findPetsByStatus({ status }),
  deletePet: async (id, apiKey) => petstore.deletePet(id, { headers: { api_key: apiKey } }),
  loginUser: async (username, password) => petstore.loginUser({ username, password }),
});
