// The links in the documents: what creates or changes something leads to what reads, changes and deletes it.
import type { Json } from "./schemas.ts";

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
 * @param documented the ids of the document's operations
 */
export function linksOf(
  id: string,
  documented: ReadonlySet<string>,
  isPetstore3: boolean,
): Json | undefined {
  const [parameter = "", value, ...targets] = LINKS[id] ?? [];
  const links = targets
    .filter((target) => documented.has(target))
    .map((operationId) => {
      const names = [...(isPetstore3 ? [`petstore3.${operationId}`] : []), operationId, parameter];
      const description = CONDITIONS[names.find((name) => name in CONDITIONS) ?? ""];
      const link = { operationId, parameters: { [parameter]: value } };
      return [operationId, { ...link, ...(description !== undefined && { description }) }];
    });
  return links.length > 0 ? Object.fromEntries(links) : undefined;
}
