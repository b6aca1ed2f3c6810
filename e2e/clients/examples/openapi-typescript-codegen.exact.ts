import {
  OpenAPI,
  PetService,
  StoreService,
  UserService,
} from "../generated/openapi-typescript-codegen.exact/index.ts";
import { BASE, answering, walk } from "../walk.ts";

OpenAPI.BASE = BASE;

const client = {
  ...answering(PetService),
  ...answering(StoreService),
  ...answering(UserService),
};
await walk({
  ...client,
  updatePetWithForm: async (id, name, status) => client.updatePetWithForm(id, { name, status }),
  uploadFile: async (id, additionalMetadata, file) =>
    client.uploadFile(id, { additionalMetadata, file }),
});
