import { implement, reuse } from "../http/implement.ts";
import * as pet from "../pet/handlers.ts";
import * as store from "../store/handlers.ts";
import * as user from "../user/handlers.ts";
import * as contract from "./contract.ts";

// Petstore 3 reuses the handlers of the specification. Some get their inputs from other parts of the request.

export const addPet = reuse(contract.addPet, pet.addPet);
export const updatePet = reuse(contract.updatePet, pet.updatePet);

export const updatePetWithForm = implement(
  contract.updatePetWithForm,
  async (call) => pet.updatePetWithForm.handler({ ...call, query: undefined, body: call.query }),
  { creates: null, answer: async (call) => pet.getPetById.handler({ ...call, query: undefined }) },
);

export const uploadFile = implement(
  contract.uploadFile,
  async ({ query, ...call }) =>
    pet.uploadFile.handler({ ...call, query: undefined, body: { ...call.body, ...query } }),
  { creates: null, answer: ({ body, query }) => pet.uploaded({ ...body, ...query }) },
);

export const findPetsByStatus = reuse(contract.findPetsByStatus, pet.findPetsByStatus);
export const findPetsByTags = reuse(contract.findPetsByTags, pet.findPetsByTags);
export const getPetById = reuse(contract.getPetById, pet.getPetById);
export const deletePet = reuse(contract.deletePet, pet.deletePet);

export const placeOrder = reuse(contract.placeOrder, store.placeOrder);
export const getOrderById = reuse(contract.getOrderById, store.getOrderById);
export const deleteOrder = reuse(contract.deleteOrder, store.deleteOrder);

export const createUser = reuse(contract.createUser, user.createUser);

export const createUsersWithListInput = reuse(
  contract.createUsersWithListInput,
  user.createUsersWithListInput,
);

export const loginUser = reuse(contract.loginUser, user.loginUser);
export const logoutUser = reuse(contract.logoutUser, user.logoutUser);
export const updateUser = reuse(contract.updateUser, user.updateUser);
export const deleteUser = reuse(contract.deleteUser, user.deleteUser);
