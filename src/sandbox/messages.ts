import { unauthenticated } from "../middleware/auth.ts";

// What an error on demand says: the message of the real one.

type Messages = Readonly<Record<string, Readonly<Record<number, string>>>>;

const INVALID_ID = { 400: "Invalid ID supplied" };
const INVALID_USER = { 400: "Invalid user supplied" };
const PET = { 404: "Pet not found" };
const ORDER = { ...INVALID_ID, 404: "Order not found" };
const USER = { 400: "Invalid username supplied", 404: "User not found" };
const DUPLICATE_USER = { 409: "Duplicate user" };
const OTHER_BODY = { 422: "The idempotency key came with another body before" };
const VALIDATION = { 422: "Validation exception" };

/** By operation and status, where both interfaces say the same. */
const OF_BOTH: Messages = {
  findPetsByStatus: { 400: "Invalid status value" },
  findPetsByTags: { 400: "Invalid tag value" },
  getPetById: { ...INVALID_ID, ...PET },
  updatePetWithForm: PET,
  deletePet: PET,
  uploadFile: PET,
  getPetImage: { ...INVALID_ID, ...PET },
  getOrderById: ORDER,
  deleteOrder: ORDER,
  createUser: DUPLICATE_USER,
  createUsersWithArrayInput: DUPLICATE_USER,
  createUsersWithListInput: DUPLICATE_USER,
  loginUser: { 400: "Invalid username/password supplied" },
  getUserByName: USER,
  updateUser: DUPLICATE_USER,
  deleteUser: USER,
};

const OF_V2: Messages = {
  addPet: { 405: "Invalid input", ...OTHER_BODY },
  updatePet: { ...INVALID_ID, ...PET, 405: "Validation exception" },
  updatePetWithForm: { ...INVALID_ID, 405: "Invalid input" },
  deletePet: INVALID_ID,
  uploadFile: { 400: "Invalid image supplied" },
  placeOrder: { 400: "Invalid order", ...OTHER_BODY },
  createUser: INVALID_USER,
  createUsersWithArrayInput: INVALID_USER,
  createUsersWithListInput: INVALID_USER,
  updateUser: { ...INVALID_USER, 404: "User not found" },
};

const OF_V3: Messages = {
  addPet: { 400: "Invalid input", 409: "Duplicate pet", ...VALIDATION },
  updatePet: { ...INVALID_ID, ...PET, ...VALIDATION },
  updatePetWithForm: { 400: "Invalid input" },
  deletePet: { 400: "Invalid pet value" },
  uploadFile: { 400: "No file uploaded" },
  placeOrder: { 400: "Invalid input", 409: "Duplicate order", ...VALIDATION },
  createUser: { 400: "Invalid input", ...VALIDATION },
  createUsersWithListInput: { 400: "Invalid input", ...VALIDATION },
  updateUser: { 400: "bad request", 404: "user not found", ...VALIDATION },
};

/** What every operation says. */
const GENERAL: Readonly<Record<number, string>> = {
  401: unauthenticated().message,
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  412: "Precondition failed",
  415: "Unsupported media type",
  429: "Too many requests",
  500: "Internal server error",
  503: "Service unavailable",
};

/** The message of an error on demand. @param isV3 whether the request is for Petstore 3 */
export function messageOf(operationId: string | undefined, status: number, isV3: boolean): string {
  const own = isV3 ? OF_V3 : OF_V2;
  const id = operationId ?? "";
  return own[id]?.[status] ?? OF_BOTH[id]?.[status] ?? GENERAL[status] ?? "Error on demand";
}
