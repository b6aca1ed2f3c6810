import { Api } from "../generated/swagger-typescript-api.exact/petstore.ts";
import { BASE, walk } from "../walk.ts";

const { pet, store, user } = new Api({ baseUrl: BASE });

await walk({
  ...pet,
  ...store,
  ...user,
  updatePetWithForm: async (id, name, status) => pet.updatePetWithForm(id, { name, status }),
  uploadFile: async (id, additionalMetadata, file) =>
    pet.uploadFile(id, { additionalMetadata, file }),
  findPetsByStatus: async (status) => pet.findPetsByStatus({ status }),
  deletePet: async (id, apiKey) => pet.deletePet(id, { headers: { api_key: apiKey } }),
  loginUser: async (username, password) => user.loginUser({ username, password }),
});
