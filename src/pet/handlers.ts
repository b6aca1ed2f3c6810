import { changeFailure, fail, implement } from "../http/implement.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
import * as contract from "./contract.ts";
import * as queries from "./queries.ts";

export const addPet = implement(contract.addPet, async ({ body, db }) => {
  const { inserted, pet, version } = await queries.insertPet(db, body);
  // The same content again is a retry; other content must never overwrite.
  if (!inserted && !sameContent(pet, body)) {
    return fail(405, [{ path: "id", message: "is taken by another pet" }]);
  }
  return { body: pet, version };
});

export const updatePet = implement(contract.updatePet, async ({ body, db, ifMatch }) => {
  const stored = await queries.replacePet(db, body, ifMatch);
  if (typeof stored === "string") return changeFailure(stored);
  return { body: stored.pet, version: stored.version };
});

export const updatePetWithForm = implement(
  contract.updatePetWithForm,
  async ({ params, body, db, ifMatch }) => {
    const updated = await queries.updatePet(db, params.petId, body, ifMatch);
    if (typeof updated === "string") return changeFailure(updated);
    return { body: apiResponse(String(updated.id)) };
  },
);

export const findPetsByStatus = implement(contract.findPetsByStatus, async ({ query, db }) => ({
  body: await queries.listPetsByStatus(db, query.status),
}));

export const findPetsByTags = implement(contract.findPetsByTags, async ({ query, db }) => ({
  body: await queries.listPetsByTags(db, query.tags),
}));

export const getPetById = implement(contract.getPetById, async ({ params, db }) => {
  const stored = await queries.findPet(db, params.petId);
  return stored ? { body: stored.pet, version: stored.version } : fail(404);
});

export const deletePet = implement(contract.deletePet, async ({ params, db, ifMatch }) => {
  const deleted = await queries.deletePet(db, params.petId, ifMatch);
  if (typeof deleted === "string") return changeFailure(deleted);
  return { body: apiResponse(String(deleted.id)) };
});
