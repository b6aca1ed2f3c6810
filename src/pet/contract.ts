import * as v from "valibot";
import { operation } from "../http/operation.ts";
import {
  ApiResponse,
  Binary,
  ListParameter,
  Paging,
  PathId,
  Text,
  apiResponse,
} from "../http/schemas.ts";
import { NewPet, Pet, PetForm, PetStatus } from "./pet.ts";
import { asSent } from "./show.ts";
import type { StoredPet } from "./show.ts";

// Any file can be uploaded. The interface calls each an image, and so does the code.

/** The largest number of images of a pet. Deleting the pet writes a row for each. */
export const MAX_IMAGES = 100;

/** The largest image that the service accepts, in bytes. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** The names of uploaded images. A download has no extension. */
export const IMAGE_NAME = /^[0-9a-f-]{36}(?:\.(?:png|jpg|gif|webp))?$/;

/** The media type of a file that no browser shows or runs. */
export const DOWNLOAD = "application/octet-stream";

/** Room for the boundaries, the headers and the other field of a form with a file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/** A file with the client's metadata. */
export const ImageForm = v.object({
  additionalMetadata: v.optional(v.pipe(Text, v.examples([""]))),
  file: v.pipe(
    v.instance(File, "must be a file"),
    v.check(({ size }) => size > 0, "must not be empty"),
  ),
});
export type ImageForm = v.InferOutput<typeof ImageForm>;

const onPet = { params: v.object({ petId: PathId }) } as const;

const PET_ERRORS = {
  invalidParameter: [400, "Invalid ID supplied"],
  missing: [404, "Pet not found"],
  changed: [412, "Pet does not meet the precondition"],
} as const;

const INVALID_INPUT = [405, "Invalid input"] as const;
const INVALID_PET = [405, "Validation exception"] as const;

/** A success that shows a pet. */
const shownPet = { success: Pet, show: asSent, etag: true, showsItem: true } as const;

export const addPet = operation({
  id: "addPet",
  access: "authenticated",
  body: { schema: NewPet },
  ...shownPet,
  idempotent: true,
  errors: { malformed: INVALID_INPUT, invalid: INVALID_INPUT, taken: INVALID_INPUT },
});

export const updatePet = operation({
  id: "updatePet",
  access: "authenticated",
  body: { schema: Pet, first: "id" },
  ...shownPet,
  errors: {
    malformed: INVALID_PET,
    invalidFirst: PET_ERRORS.invalidParameter,
    invalid: INVALID_PET,
    missing: PET_ERRORS.missing,
    changed: PET_ERRORS.changed,
  },
});

export const updatePetWithForm = operation({
  id: "updatePetWithForm",
  access: "authenticated",
  ...onPet,
  body: { schema: PetForm, format: "form" },
  success: ApiResponse,
  show: ({ id }: Pick<StoredPet, "id">) => apiResponse(String(id)),
  idempotent: true,
  errors: {
    ...PET_ERRORS,
    malformed: INVALID_INPUT,
    invalid: INVALID_INPUT,
    // With the new name, the pet would be too large.
    full: INVALID_INPUT,
  },
});

const INVALID_IMAGE = [400, "Invalid image supplied"] as const;

export const uploadFile = operation({
  id: "uploadFile",
  access: "authenticated",
  ...onPet,
  body: {
    schema: ImageForm,
    format: "multipart",
    maxBytes: MAX_IMAGE_BYTES + FORM_OVERHEAD_BYTES,
  },
  success: ApiResponse,
  idempotent: true,
  errors: {
    invalidParameter: INVALID_IMAGE,
    malformed: INVALID_IMAGE,
    invalid: INVALID_IMAGE,
    // `photoUrls` have no room for the URL of the image.
    full: INVALID_IMAGE,
    missing: PET_ERRORS.missing,
  },
});

/** The name of an image, in the form that the service makes. Any other name is 404, not 400. */
const ImageName = v.pipe(Text, v.metadata({ pattern: IMAGE_NAME.source }));

export const getPetImage = operation({
  id: "getPetImage",
  access: "anyone",
  withoutDatabase: true,
  params: v.object({ petId: PathId, name: ImageName }),
  success: v.optional(Binary),
  mediaTypes: ["image/png", "image/jpeg", "image/gif", "image/webp", DOWNLOAD],
  binary: true,
  errors: {
    invalidParameter: PET_ERRORS.invalidParameter,
    missing: [404, "Image not found"],
    changed: [412, "Image does not meet the precondition"],
    unsatisfiable: [416, "Range not satisfiable"],
  },
});

/** What the lists of pets have. */
const listOfPets = {
  access: "anyone",
  success: v.array(Pet),
  show: asSent,
  paged: true,
} as const;

/** A status in a query. Spaces and tabs around it are no part of it (interface §3.8.1). */
export const StatusInQuery = v.pipe(
  v.string(),
  v.transform((text) => /[^ \t](?:.*[^ \t])?/s.exec(text)?.[0] ?? ""),
  PetStatus,
);

export const findPetsByStatus = operation({
  ...listOfPets,
  id: "findPetsByStatus",
  query: v.object({ status: ListParameter(StatusInQuery, "statuses"), ...Paging }),
  errors: { invalidParameter: [400, "Invalid status value"] },
});

/** The name of a tag in a query, in which commas separate names. */
const TagName = v.pipe(
  Text,
  v.nonEmpty("must not be empty"),
  v.metadata({ pattern: String.raw`^[^\u0000,]+$` }),
);

export const findPetsByTags = operation({
  ...listOfPets,
  id: "findPetsByTags",
  query: v.object({ tags: ListParameter(TagName, "tags"), ...Paging }),
  errors: { invalidParameter: [400, "Invalid tag value"] },
});

export const getPetById = operation({
  id: "getPetById",
  access: "anyone",
  ...onPet,
  success: Pet,
  show: asSent,
  etag: true,
  errors: PET_ERRORS,
});

export const deletePet = operation({
  id: "deletePet",
  access: "authenticated",
  ...onPet,
  apiKey: true,
  success: ApiResponse,
  errors: PET_ERRORS,
});
