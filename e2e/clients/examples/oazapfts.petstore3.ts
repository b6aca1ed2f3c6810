import * as petstore from "../generated/oazapfts.petstore3.ts";
import { BASE, walk } from "../walk.ts";
import { succeeding } from "./oazapfts.ts";

petstore.defaults.baseUrl = BASE;

const client = succeeding(petstore);
await walk({
  ...client,
  updatePetWithForm: async (id, name, status) => client.updatePetWithForm(id, { name, status }),
  uploadFile: async (id, additionalMetadata, file) =>
    client.uploadFile(id, file, { additionalMetadata }),
  findPetsByStatus: async ([status]) => client.findPetsByStatus({ status }),
  loginUser: async (username, password) => client.loginUser({ username, password }),
  deletePet: async (id, apiKey) => client.deletePet(id, { apiKey }),
});
