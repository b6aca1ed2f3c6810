import { IMAGE_NAME } from "../src/pet/images.ts";
import { done, integer, parameter, ref } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { TAG_NAME, portable } from "./patterns.ts";

const NEW_PET = {
  category: { id: 1, name: "Dogs" },
  name: "Rex",
  photoUrls: ["https://pets.example/rex.png"],
  tags: [{ id: 1, name: "friendly" }],
  status: "available",
};
const PET = { id: 1, ...NEW_PET };
const PENDING = { ...PET, status: "pending" };
const CHANGES = { name: NEW_PET.name, status: "sold" };

const shown = (example: object, ...headers: readonly string[]) => ({
  schema: ref("Pet"),
  headers: ["ETag", ...headers],
  example,
});
const list = {
  schema: { type: "array", items: ref("Pet") },
  headers: ["Link"],
  example: [PET],
} as const;

const petId = parameter(
  "petId",
  "Id of the pet. An integer that is no pet's id is 404.",
  integer(1),
  1,
);
const optional = { in: "query", required: false } as const;
const paging = [
  parameter(
    "limit",
    "At most so many pets; `Link` has the next page. Without it, all of them.",
    integer(1, 100),
    100,
    optional,
  ),
  parameter(
    "after",
    "Only pets with greater ids: the last id of the page before.",
    integer(0),
    0,
    optional,
  ),
];
const severalValues = { in: "query", explode: false } as const;

const FILES = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/octet-stream"];

const INVALID_ID = { 400: "Invalid ID supplied" };
const MISSING = { 404: "Pet not found" };
const CHANGED = { 412: "Precondition failed" };

export const petOperations: Readonly<Record<string, Operation>> = {
  addPet: {
    at: "POST /pet",
    summary: "Add a pet to the store",
    access: "account",
    body: { schema: "NewPet", example: NEW_PET },
    success: shown(PET, "Content-Location"),
    errors: {
      400: "Invalid idempotency key",
      405: "Invalid input",
      422: "The idempotency key is taken",
    },
    link: ["petId", "$response.body#/id"],
  },
  updatePet: {
    at: "PUT /pet",
    summary: "Replace an existing pet",
    description: "Replaces the whole pet: absent members are removed. Never creates a pet.",
    access: "owner",
    body: { schema: "PetInput", example: PENDING },
    success: shown(PENDING, "Content-Location"),
    errors: { ...INVALID_ID, ...MISSING, 405: "Validation exception", ...CHANGED },
    link: ["petId", "$response.body#/id"],
  },
  findPetsByStatus: {
    at: "GET /pet/findByStatus",
    summary: "Find pets by status",
    parameters: [
      parameter(
        "status",
        "One or more statuses, separated by commas. The parameter may be repeated.",
        { type: "array", items: ref("PetStatus"), minItems: 1, maxItems: 20 },
        ["available", "pending"],
        severalValues,
      ),
      ...paging,
    ],
    success: list,
    errors: { 400: "Invalid status value" },
  },
  findPetsByTags: {
    at: "GET /pet/findByTags",
    summary: "Find pets by tags",
    description: "Finds pets that have any of the tags, by exact name.",
    parameters: [
      parameter(
        "tags",
        "Names of one or more tags, separated by commas. The parameter may be repeated.",
        {
          type: "array",
          items: { type: "string", pattern: TAG_NAME, maxLength: 4096 },
          minItems: 1,
          maxItems: 20,
        },
        ["friendly"],
        severalValues,
      ),
      ...paging,
    ],
    success: list,
    errors: { 400: "Invalid tag value" },
  },
  uploadFile: {
    at: "POST /pet/{petId}/uploadImage",
    summary: "Upload an image of a pet",
    description:
      "Stores a file of at most 5 MiB and appends its URL to the pet's `photoUrls`. PNG, JPEG, GIF and WebP, recognized by content, are shown as images; any other file is a download.",
    access: "owner",
    parameters: [petId],
    body: { schema: "ImageForm", mediaTypes: ["multipart/form-data"] },
    success: done("additionalMetadata: at the lake\nFile uploaded to ./rex.png, 4096 bytes"),
    errors: { 400: "Invalid image supplied", ...MISSING },
    link: ["petId", "$request.path.petId"],
  },
  getPetImage: {
    at: "GET /pet/{petId}/images/{name}",
    summary: "Get an image of a pet",
    description: "Returns an uploaded image, or another uploaded file as a download.",
    parameters: [
      petId,
      parameter(
        "name",
        "Name of the image: the end of its URL in `photoUrls`.",
        { type: "string", pattern: portable(IMAGE_NAME.source) },
        "5f8e3d0e-1c1f-4c8e-9a53-0d6f3f6a2b11.png",
      ),
    ],
    success: {
      schema: { type: "string", format: "binary" },
      mediaTypes: FILES,
      headers: ["ETag", "Accept-Ranges", "Content-Disposition"],
    },
    errors: { ...INVALID_ID, 404: "Image not found", ...CHANGED, 416: "Range not satisfiable" },
  },
  getPetById: {
    at: "GET /pet/{petId}",
    summary: "Find a pet by its id",
    parameters: [petId],
    success: shown(PET),
    errors: { ...INVALID_ID, ...MISSING },
  },
  updatePetWithForm: {
    at: "POST /pet/{petId}",
    summary: "Update the name and status of a pet",
    description: "Absent fields keep their values.",
    access: "owner",
    parameters: [petId],
    body: {
      schema: "PetForm",
      mediaTypes: ["application/x-www-form-urlencoded", "multipart/form-data"],
      example: CHANGES,
    },
    success: done("1"),
    errors: { ...INVALID_ID, ...MISSING, 405: "Invalid input", ...CHANGED },
    link: ["petId", "$request.path.petId"],
    petstore3: {
      description: "Absent parameters keep the values. One of them is needed.",
      success: shown({ ...PET, ...CHANGES }),
    },
  },
  deletePet: {
    at: "DELETE /pet/{petId}",
    summary: "Delete a pet",
    description: "Deletes the pet and its uploaded files.",
    access: "owner",
    parameters: [
      petId,
      parameter(
        "api_key",
        "API key for authorization. Ignored if access is open.",
        { type: "string" },
        undefined,
        { in: "header", required: false },
      ),
    ],
    success: done("1"),
    errors: { ...INVALID_ID, ...MISSING, ...CHANGED },
    petstore3: { success: { example: "Pet deleted" } },
  },
};
