import * as v from "valibot";
import { operation } from "../http/operation.ts";
import type { Schema } from "../http/operation.ts";
import {
  ApiResponse,
  Binary,
  BoundedArray,
  Id,
  Integer,
  JsonObject,
  ListParameter,
  MAX_TEXT,
  NewId,
  Paging,
  PathId,
  Text,
  TextOr,
  expected,
  matching,
  optionalMember,
  rule,
} from "../http/schemas.ts";

/** The largest number of images of a pet. Deleting the pet writes a row for each. */
export const MAX_IMAGES = 100;

/** The largest image that the service accepts, in bytes. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** The names of uploaded images. */
export const IMAGE_NAME = /^[0-9a-f-]{36}\.(?:png|jpg|gif|webp)$/;

/** The longest `photoUrls` as one string, in characters. */
export const MAX_PHOTO_URLS = MAX_TEXT;

/** The largest pet after a change of some of its members, in bytes of JSON: it fits the body of a PUT (§2.3). */
export const MAX_PET_BYTES = 48 * 1024;

/** The largest number of items of `photoUrls` as an array, and of `tags` (interface §2.4). */
export const MAX_ITEMS = 100;

const STATUSES = ["available", "pending", "sold"] as const;

export const PetStatus = v.picklist(STATUSES, `must be one of ${STATUSES.join(", ")}`);
export type PetStatus = v.InferOutput<typeof PetStatus>;

/**
 * A pattern for an absolute http or https URL or a relative reference (RFC 3986 §4.1), and for nothing that a page would
 * run or embed: text before a colon is always a scheme, and no white space or control character can hide one.
 * @param none more characters that the URL must not have
 */
function urlPattern(none = ""): string {
  const except = (characters: string) =>
    String.raw`[^\s\u0000-\u001f\u007f-\u009f${none}${characters}]`;
  const rest = `${except("")}*`;
  const host = String.raw`(?:${except(String.raw`/?#\\\[\]`)}+|\[[0-9A-Fa-f:.]+\](?::[0-9]*)?)`;
  const onHost = `(?:[Hh][Tt][Tt][Pp][Ss]?:)?//${host}(?:[/?#]${rest})?`;
  const here = `/(?:${except("/")}${rest})?|${except(":/?#")}+(?:[/?#]${rest})?|[?#]${rest}`;
  return `(?:${onHost}|${here})`;
}

const URL_MESSAGE = "must be http or https URLs, or relative ones";

/** One URL, or several separated by commas, in one string (interface §3.1). */
const PhotoUrlText = v.pipe(
  Text,
  matching(String.raw`^\s*${urlPattern(",")}\s*(?:,\s*${urlPattern(",")}\s*)*$`, URL_MESSAGE),
);

const PHOTO_URLS = "a string or an array of strings";

/**
 * The form that Swagger Petstore's clients send. Some send `[""]`: "" is a relative reference (RFC 3986 §4.2).
 * @param forms what `photoUrls` may be
 */
const photoUrlList = (forms: string) =>
  BoundedArray(
    v.pipe(Text, matching(`^${urlPattern()}?$`, URL_MESSAGE)),
    MAX_ITEMS,
    "URLs",
    expected(forms),
  );

export const PhotoUrls = TextOr(PhotoUrlText, photoUrlList(PHOTO_URLS), expected(PHOTO_URLS));

/** The specification has a search by tags but no member for them. This is Swagger Petstore's member. */
export const Tag = JsonObject(
  { id: optionalMember(Integer), name: optionalMember(Text) },
  "must be an object with an id and a name",
);

/** A plain string means a tag with that name. */
export const TagOrName = TextOr(Text, Tag, expected("a string or an object with an id and a name"));

export const Category = JsonObject(
  { id: optionalMember(Integer), name: optionalMember(Text) },
  "must be an object with an id and a name",
);

export const petMembers = {
  category: optionalMember(Category),
  name: v.pipe(Text, v.nonEmpty("must not be empty")),
  photoUrls: PhotoUrls,
  tags: optionalMember(BoundedArray(TagOrName, MAX_ITEMS, "tags")),
  status: optionalMember(PetStatus),
};

export const Pet = JsonObject({ id: Id, ...petMembers });
export type Pet = v.InferOutput<typeof Pet>;

export const NewPet = JsonObject({ id: NewId, ...petMembers });
export type NewPet = v.InferOutput<typeof NewPet>;

/** The members of a pet of Petstore 3, which has one form of `photoUrls` and of a tag (interface §11.3). */
const listedMembers = {
  ...petMembers,
  photoUrls: photoUrlList("an array of strings"),
  tags: optionalMember(BoundedArray(Tag, MAX_ITEMS, "tags")),
};

export const ListedPet: Schema<Pet> = JsonObject({ id: Id, ...listedMembers });
export const NewListedPet: Schema<NewPet> = JsonObject({ id: NewId, ...listedMembers });

/** The members of a pet that a form can change. */
export const PetForm = v.object({
  name: v.optional(petMembers.name),
  status: v.optional(PetStatus),
});
export type PetForm = v.InferOutput<typeof PetForm>;

/** Room for the boundaries, the headers and the other field of a form with a file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/** A file with the client's metadata. */
export const ImageForm = v.object({
  additionalMetadata: v.optional(v.pipe(Text, v.examples([""]))),
  file: v.instance(File, "must be a file"),
});
export type ImageForm = v.InferOutput<typeof ImageForm>;

const onPet = { params: v.object({ petId: PathId }) } as const;

const PET_ERRORS = {
  400: "Invalid ID supplied",
  404: "Pet not found",
  412: "Pet does not meet the precondition",
} as const;

export const addPet = operation({
  id: "addPet",
  access: "authenticated",
  body: { schema: NewPet, invalid: 405 },
  success: Pet,
  etag: true,
  showsItem: true,
  idempotent: true,
  errors: { 405: "Invalid input" },
});

export const updatePet = operation({
  id: "updatePet",
  access: "authenticated",
  body: { schema: Pet, invalid: 405, first: { member: "id", invalid: 400 } },
  success: Pet,
  etag: true,
  showsItem: true,
  errors: { ...PET_ERRORS, 405: "Validation exception" },
});

export const updatePetWithForm = operation({
  id: "updatePetWithForm",
  access: "authenticated",
  ...onPet,
  body: { schema: PetForm, format: "form", invalid: 405 },
  success: ApiResponse,
  idempotent: true,
  errors: { ...PET_ERRORS, 405: "Invalid input" },
});

export const uploadFile = operation({
  id: "uploadFile",
  access: "authenticated",
  ...onPet,
  body: {
    schema: ImageForm,
    format: "multipart",
    maxBytes: MAX_IMAGE_BYTES + FORM_OVERHEAD_BYTES,
    invalid: 400,
  },
  success: ApiResponse,
  idempotent: true,
  errors: { 400: "Invalid image supplied", 404: "Pet not found" },
});

/** The name of an image, in the form that the service makes. Any other name is 404, not 400. */
const ImageName = v.pipe(
  Text,
  rule(() => true, "", { pattern: IMAGE_NAME.source }),
);

export const getPetImage = operation({
  id: "getPetImage",
  access: "anyone",
  withoutDatabase: true,
  params: v.object({ petId: PathId, name: ImageName }),
  success: v.optional(Binary),
  binary: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  errors: {
    400: "Invalid ID supplied",
    404: "Image not found",
    412: "Image does not meet the precondition",
    416: "Range not satisfiable",
  },
});

/** What the lists of pets have. */
const listOfPets = {
  access: "anyone",
  success: v.array(Pet),
} as const;

export const findPetsByStatus = operation({
  ...listOfPets,
  id: "findPetsByStatus",
  query: v.object({ status: ListParameter(PetStatus, "statuses"), ...Paging }),
  errors: { 400: "Invalid status value" },
});

/** The name of a tag in a query, in which commas separate names. */
const TagName = v.pipe(
  Text,
  v.nonEmpty("must not be empty"),
  matching(String.raw`^[^\u0000,]+$`, "must not be empty"),
);

export const findPetsByTags = operation({
  ...listOfPets,
  id: "findPetsByTags",
  query: v.object({ tags: ListParameter(TagName, "tags"), ...Paging }),
  errors: { 400: "Invalid tag value" },
});

export const getPetById = operation({
  id: "getPetById",
  access: "anyone",
  ...onPet,
  success: Pet,
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
