// The links in the documents: what creates or changes something leads to what reads, changes and deletes it.
import type { Json } from "./json.ts";

const ANSWERED_ID = "$response.body#/id";
const PET = ["getPetById", "updatePetWithForm", "uploadFile", "deletePet"];
const ORDER = ["getOrderById", "deleteOrder"];
const USER = ["getUserByName", "updateUser", "deleteUser"];

/** For each operation: a parameter, its value as a runtime expression of OpenAPI, and the operations that take it. */
const LINKS: Readonly<Record<string, readonly [parameter: string, value: string, ...string[]]>> = {
  addPet: ["petId", ANSWERED_ID, ...PET],
  updatePet: ["petId", ANSWERED_ID, ...PET],
  updatePetWithForm: ["petId", "$request.path.petId", "getPetById"],
  uploadFile: ["petId", "$request.path.petId", "getPetById"],
  placeOrder: ["orderId", ANSWERED_ID, ...ORDER],
  // The answers of /v2 have no username.
  createUser: ["username", "$request.body#/username", ...USER],
  createUsersWithArrayInput: ["username", "$request.body#/0/username", ...USER],
  createUsersWithListInput: ["username", "$request.body#/0/username", ...USER],
};

/** When an operation, or any that takes a parameter, can be called. The prefix `petstore3.` marks what differs there. */
const CONDITIONS: Readonly<Record<string, string | undefined>> = {
  getOrderById: "Only if the id is at most 10.",
  "petstore3.getOrderById": undefined,
  username: "Only if the user has a username.",
};

/**
 * The links of an operation's success; `undefined` if it has none.
 * @param namesOf the names of an operation in `CONDITIONS`
 */
export function linksOf(
  id: string,
  namesOf: (operationId: string) => readonly string[],
): Json | undefined {
  const stated = LINKS[id];
  if (!stated) return undefined;
  const [parameter, value, ...targets] = stated;
  const links = targets.map((operationId) => {
    const name = [...namesOf(operationId), parameter].find((each) => each in CONDITIONS) ?? "";
    const description = CONDITIONS[name];
    const link = { operationId, parameters: { [parameter]: value } };
    return [operationId, { ...link, ...(description !== undefined && { description }) }];
  });
  return Object.fromEntries(links);
}
