// The examples in the documents, and the headers of single operations. Names are operations; the prefix `petstore3.`
// marks those that differ in Petstore 3.
import { apiResponse } from "../../src/http/schemas.ts";
import { factsOf } from "./facts.ts";

const NEW_PET = {
  category: { id: 1, name: "Dogs" },
  name: "Rex",
  photoUrls: ["https://pets.example/rex.png"],
  tags: [{ id: 1, name: "friendly" }],
  status: "available",
};
const PET = { id: 1, ...NEW_PET };
const NEW_ORDER = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
};
const ORDER = { id: 1, ...NEW_ORDER };
const NEW_USER = {
  username: "ada",
  firstName: "Ada",
  lastName: "Byron",
  email: "ada@pets.example",
  password: "correct horse",
  phone: "+44 20 7946 0000",
  userStatus: 0,
};
const USER = { id: 1, ...NEW_USER };
const TOKEN = "bmljZSB0cnksIGJ1dCBub3QgYSByZWFsIHRva2VuISE";

// The usernames of the examples differ, so that all of them can be created, one after the other.
const usersOf = (...usernames: readonly string[]) =>
  usernames.map((username) => ({ username, password: NEW_USER.password }));

/** A value that succeeds, by the name of a parameter; with the operation before it, if operations differ. */
export const parameterExample = factsOf<unknown>("example", "examples.ts", {
  petId: 1,
  "getPetImage.name": "5f8e3d0e-1c1f-4c8e-9a53-0d6f3f6a2b11.png",
  "findPetsByStatus.status": ["available", "pending"],
  tags: ["friendly"],
  limit: 100,
  after: 0,
  "updatePetWithForm.name": NEW_PET.name,
  "updatePetWithForm.status": "sold",
  orderId: 1,
  username: NEW_USER.username,
  password: NEW_USER.password,
  // Not sent.
  additionalMetadata: undefined,
  api_key: undefined,
});

/** The body of a request that succeeds. */
export const bodyExample = factsOf<unknown>("example of a body", "examples.ts", {
  addPet: NEW_PET,
  updatePet: { ...PET, status: "pending" },
  updatePetWithForm: { name: NEW_PET.name, status: "sold" },
  // JSON cannot hold a file.
  uploadFile: undefined,
  placeOrder: NEW_ORDER,
  createUser: NEW_USER,
  createUsersWithArrayInput: usersOf("grace", "alan"),
  createUsersWithListInput: usersOf("barbara", "edsger"),
  updateUser: { phone: "+44 20 7946 0001" },
});

/** The body of a success. */
export const successExample = factsOf<unknown>("example of a success", "examples.ts", {
  addPet: PET,
  updatePet: { ...PET, status: "pending" },
  updatePetWithForm: apiResponse("1"),
  "petstore3.updatePetWithForm": { ...PET, status: "sold" },
  uploadFile: apiResponse(
    "additionalMetadata: at the lake\nFile uploaded to ./rex.png, 4096 bytes",
  ),
  findPetsByStatus: [PET],
  findPetsByTags: [PET],
  getPetById: PET,
  deletePet: apiResponse("1"),
  "petstore3.deletePet": "Pet deleted",
  getInventory: { available: 7, pending: 2, sold: 1 },
  placeOrder: ORDER,
  getOrderById: ORDER,
  deleteOrder: apiResponse("1"),
  createUser: apiResponse("1"),
  "petstore3.createUser": USER,
  createUsersWithArrayInput: apiResponse("ok"),
  createUsersWithListInput: apiResponse("ok"),
  "petstore3.createUsersWithListInput": [USER],
  loginUser: apiResponse(`logged in user session:${TOKEN}`),
  "petstore3.loginUser": `Logged in user session: ${TOKEN}`,
  logoutUser: apiResponse("ok"),
  "petstore3.logoutUser": "User logged out",
  getUserByName: USER,
  updateUser: apiResponse("1"),
  "petstore3.updateUser": USER,
  deleteUser: apiResponse("ada"),
});

const LISTS = {
  Link: {
    description: "With `limit`: the URL of the next page, if there is one (RFC 8288).",
    schema: { type: "string" },
    example: '</v2/pet/findByStatus?status=sold&limit=100&after=100>; rel="next"',
  },
};
/** The headers of a success that not every answer has. */
export const successHeaders = factsOf<object>("header", "examples.ts", {
  findPetsByStatus: LISTS,
  findPetsByTags: LISTS,
  getPetImage: {
    "Content-Disposition": {
      description: "`attachment`, if the file is not a PNG, JPEG, GIF or WebP image.",
      schema: { type: "string" },
      example: "attachment",
    },
  },
  loginUser: {
    "Set-Cookie": {
      description: "The session's token. Browsers keep it for as long as the session lasts.",
      schema: { type: "string" },
      example: `session=${TOKEN}; HttpOnly; SameSite=Strict; Path=/v2; Max-Age=3600`,
      required: true,
    },
    "X-Expires-After": {
      description: "When the session ends (RFC 3339, UTC).",
      schema: { type: "string", format: "date-time" },
      example: "2026-11-21T10:30:00.000Z",
      required: true,
    },
    "X-Rate-Limit": {
      description: "Requests that one client may send in a minute.",
      schema: { type: "integer", minimum: 1 },
      example: 600,
      required: true,
    },
  },
  logoutUser: {
    "Set-Cookie": {
      description: "Clears the cookie.",
      schema: { type: "string" },
      example: "session=; HttpOnly; SameSite=Strict; Path=/v2; Max-Age=0",
      required: true,
    },
  },
  others: {},
});
