import {
  OpenAPI,
  PetService,
  StoreService,
  UserService,
} from "../generated/openapi-typescript-codegen.petstore3/index.ts";
import { BASE, answering, walk } from "../walk.ts";

OpenAPI.BASE = BASE;

const client = {
  ...answering(PetService),
  ...answering(StoreService),
  ...answering(UserService),
};
await walk({
  ...client,
  findPetsByStatus: async ([status]) => client.findPetsByStatus(status),
});
