import {
  PetApiFactory,
  StoreApiFactory,
  UserApiFactory,
} from "../generated/openapi-generator.classic/index.ts";
import type { Order, Pet } from "../generated/openapi-generator.classic/index.ts";
import { BASE, walk } from "../walk.ts";

const pets = PetApiFactory(undefined, BASE);
const store = StoreApiFactory(undefined, BASE);

await walk({
  ...pets,
  ...store,
  ...UserApiFactory(undefined, BASE),
  // Its statuses are enums.
  addPet: async (pet) => pets.addPet(pet as Pet),
  updatePet: async (pet) => pets.updatePet(pet as Pet),
  placeOrder: async (order) => store.placeOrder(order as Order),
});
