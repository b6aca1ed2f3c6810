import * as petstore from "../generated/oazapfts.exact.ts";
import { BASE, walk } from "../walk.ts";
import { succeeding } from "./oazapfts.ts";

petstore.defaults.baseUrl = BASE;

const client = succeeding(petstore);
await walk({
  ...client,
  updatePetWithForm: async (id, name, status) => client.updatePetWithForm(id, { name, status }),
  uploadFile: async (id, additionalMetadata, file) =>
    client.uploadFile(id, { additionalMetadata, file }),
  deletePet: async (id, apiKey) => client.deletePet(id, { apiKey }),
});
