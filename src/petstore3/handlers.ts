import { changeFailure, fail } from "../http/handler.ts";
import type { Call, Created } from "../http/handler.ts";
import { implement } from "../http/implement.ts";
import * as pet from "../pet/handlers.ts";
import { updatePet as changePet } from "../pet/queries.ts";
import * as store from "../store/handlers.ts";
import type { NewUser } from "../user/contract.ts";
import * as user from "../user/handlers.ts";
import { findTaken } from "../user/queries.ts";
import * as contract from "./contract.ts";

// What the endpoints of Petstore 3 do is what those of the specification do.

export const addPet = implement(contract.addPet, ...pet.addPetOf(409));
export const updatePet = implement(contract.updatePet, pet.updatePet.handler);

export const updatePetWithForm = implement(
  contract.updatePetWithForm,
  async (call) => {
    const updated = await changePet(call.db, call.params.petId, call.query, call.preconditions);
    if (updated === "full") return fail(400, [pet.TOO_LONG]);
    return typeof updated === "string" ? changeFailure(updated) : pet.success(updated, call);
  },
  { creates: null, answer: async (call) => pet.getPetById.handler({ ...call, query: undefined }) },
);

export const uploadFile = implement(
  contract.uploadFile,
  async (call) => pet.uploadFileOf(call, "binary", { ...call.body, ...call.query }),
  { creates: null, answer: ({ body, query }) => pet.uploaded({ ...body, ...query }) },
);

export const findPetsByStatus = implement(contract.findPetsByStatus, pet.findPetsByStatus.handler);

export const findPetsByTags = implement(contract.findPetsByTags, pet.findPetsByTags.handler);
export const getPetById = implement(contract.getPetById, pet.getPetById.handler);
export const deletePet = implement(contract.deletePet, pet.deletePet.handler);
export const placeOrder = implement(contract.placeOrder, ...store.placeOrderOf(409));
export const getOrderById = implement(contract.getOrderById, store.getOrderById.handler);
export const deleteOrder = implement(contract.deleteOrder, store.deleteOrder.handler);

/** A new user as a look-up shows it (interface §6.4). */
function shownUser(
  created: NewUser,
  id: number | undefined,
  { isProtected }: Call<typeof contract.createUser>["settings"],
) {
  const { id: _, password, phone, userStatus, ...names } = created;
  return { id, ...names, ...(!isProtected && { password }), phone, userStatus };
}

export const createUser = implement(
  contract.createUser,
  ...user.createUserOf(({ body, settings }, { id, version }: Created) => ({
    body: shownUser(body, id, settings),
    version,
  })),
);

export const createUsersWithListInput = implement(
  contract.createUsersWithListInput,
  ...user.createUsersOf(async ({ body, db, settings }, generated) => {
    // Only the names of users who were created before tell the ids that they got. No name tells none.
    const stored = generated ? [] : await findTaken(db, body);
    const next = generated?.values();
    return {
      body: body.map((created) => {
        const named = stored.find(({ username }) => username === created.username)?.id;
        const { id = next?.next().value ?? named } = created;
        return shownUser(created, id, settings);
      }),
    };
  }),
);

export const loginUser = implement(
  contract.loginUser,
  user.loginUserOf((token) => `Logged in user session: ${token}`),
);

export const logoutUser = implement(contract.logoutUser, user.logoutUser.handler);
export const updateUser = implement(contract.updateUser, user.updateUserOf(user.success));
export const deleteUser = implement(contract.deleteUser, user.deleteUser.handler);
