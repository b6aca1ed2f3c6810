import type { JsonSchema } from "@valibot/to-json-schema";
import { IMAGE_NAME } from "../src/pet/images.ts";
import { CHANGED, INVALID_ID, KEY_TAKEN, done, integer, parameter, ref, returns, type Operation } from "./operation.ts";
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

const petId = parameter("petId", "Id of the pet. Other integers are 404.", integer(1), 1);
const NOT_FOUND = { ...INVALID_ID, 404: "Pet not found" };

/** A search for pets that have one of several values, page by page. */
const search = (name: string, values: string, items: JsonSchema, example: readonly string[]) => {
  const several: JsonSchema = { type: "array", items, minItems: 1, maxItems: 20 };
  const page = { in: "query", required: false };
  return {
    parameters: [
      {
        ...parameter(name, `${values}, separated by commas. May be repeated.`, several, example),
        in: "query",
        explode: false,
      },
      { ...parameter("limit", "At most so many pets. `Link` has the next page.", integer(1, 100), 100), ...page },
      { ...parameter("after", "Only pets with greater ids.", integer(0), 0), ...page },
    ],
    success: { schema: { type: "array", items: ref("Pet") }, headers: ["Link"], example: [PET] },
  } as const;
};

export const petOperations: Readonly<Record<string, Operation>> = {
  addPet: {
    at: "POST /pet",
    summary: "Add a pet to the store",
    access: "account",
    body: { schema: "NewPet", example: NEW_PET },
    success: returns("Pet", PET, "ETag", "Content-Location"),
    errors: { 400: "Invalid idempotency key", 405: "Invalid input", ...KEY_TAKEN },
  },
  updatePet: {
    at: "PUT /pet",
    summary: "Replace an existing pet",
    description: "Replaces the whole pet: absent members are removed. Never creates a pet.",
    access: "owner",
    body: { schema: "PetInput", example: PENDING },
    success: returns("Pet", PENDING, "ETag", "Content-Location"),
    errors: { ...NOT_FOUND, 405: "Validation exception", ...CHANGED },
  },
  findPetsByStatus: {
    at: "GET /pet/findByStatus",
    summary: "Find pets by status",
    ...search("status", "Statuses", ref("PetStatus"), ["available", "pending"]),
    errors: { 400: "Invalid status value" },
  },
  findPetsByTags: {
    at: "GET /pet/findByTags",
    summary: "Find pets by tags",
    description: "Finds pets that have any of the tags, by exact name.",
    ...search("tags", "Names of tags", { type: "string", pattern: TAG_NAME, maxLength: 4096 }, ["friendly"]),
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
    errors: { ...NOT_FOUND, 400: "Invalid image supplied" },
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
      mediaTypes: ["image/png", "image/jpeg", "image/gif", "image/webp", "application/octet-stream"],
      headers: ["ETag", "Accept-Ranges", "Content-Disposition"],
    },
    errors: { ...INVALID_ID, 404: "Image not found", ...CHANGED, 416: "Range not satisfiable" },
  },
  getPetById: {
    at: "GET /pet/{petId}",
    summary: "Find a pet by its id",
    parameters: [petId],
    success: returns("Pet", PET, "ETag"),
    errors: NOT_FOUND,
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
    errors: { ...NOT_FOUND, 405: "Invalid input", ...CHANGED },
    petstore3: {
      description: "Absent parameters keep the values. One of them is needed.",
      success: returns("Pet", { ...PET, ...CHANGES }, "ETag"),
    },
  },
  deletePet: {
    at: "DELETE /pet/{petId}",
    summary: "Delete a pet",
    description: "Deletes the pet and its uploaded files.",
    access: "owner",
    parameters: [
      petId,
      {
        ...parameter("api_key", "API key. Ignored if access is open.", { type: "string" }),
        in: "header",
        required: false,
      },
    ],
    success: done("1"),
    errors: { ...NOT_FOUND, ...CHANGED },
    petstore3: { success: { example: "Pet deleted" } },
  },
};
