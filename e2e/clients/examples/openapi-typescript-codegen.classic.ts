import {
  OpenAPI,
  PetService,
  StoreService,
  UserService,
} from "../generated/openapi-typescript-codegen.classic/index.ts";
import { BASE, answering, walk } from "../walk.ts";

OpenAPI.BASE = BASE;

await walk({
  ...answering(PetService),
  ...answering(StoreService),
  ...answering(UserService),
});
