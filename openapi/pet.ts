import { done, listOf, returns, says, type Parameters, type Text } from "./texts.ts";

const NEW_PET = {
  category: { id: 2, name: "Cats" },
  name: "Cat 1",
  photoUrls: ["url1", "url2"],
  tags: [
    { id: 1, name: "tag1" },
    { id: 2, name: "tag2" },
  ],
  status: "available",
};
/** The first pet of the classic data: creating it again and replacing it both succeed. */
export const PET = { id: 1, ...NEW_PET };
const PENDING = { ...PET, status: "pending" };
export const CHANGES = { name: NEW_PET.name, status: "sold" };
export const METADATA = "at the lake";

export const petParameters = {
  petId: ["ID of the pet. Returns 404 if no pet has this ID.", PET.id],
  status: ["Statuses, separated by commas. Can be repeated.", ["available", "pending"]],
  tags: ["Names of tags, separated by commas. Can be repeated.", ["tag1"]],
  limit: ["Returns at most this many pets. The response header `Link` has the next page.", 100],
  after: ["Returns only pets with greater IDs.", 0],
  name: ["Name of the image: the end of its URL in `photoUrls`.", "5f8e3d0e-1c1f-4c8e-9a53-0d6f3f6a2b11.png"],
  additionalMetadata: ["Any text about the file. Returned in `message`.", METADATA],
} satisfies Parameters;

const ONE_REQUIRED = "Returns 400 if both `name` and `status` are missing.";

/** In the order of the documents: tools that send the examples one after the other delete the pet last. */
export const petTexts = {
  addPet: {
    summary: "Add a pet to the store",
    example: NEW_PET,
    success: returns("Pet", PET, "ETag", "Content-Location"),
  },
  updatePet: {
    summary: "Replace an existing pet",
    description: "Replaces the whole pet: absent fields are removed. Never creates a pet.",
    example: PENDING,
    success: returns("Pet", PENDING, "ETag", "Content-Location"),
    petstore3: {
      description:
        "Replaces the whole pet: absent fields are removed. Never creates a pet. Returns 400 without an `id`.",
    },
  },
  findPetsByStatus: {
    summary: "Find pets by status",
    success: returns(listOf("Pet"), [PET]),
    petstore3: { parameters: { status: [petParameters.status[0], "available"] } },
  },
  findPetsByTags: {
    summary: "Find pets by tags",
    description: "Finds pets that have any of the tags, by exact name.",
    success: returns(listOf("Pet"), [PET]),
  },
  uploadFile: {
    summary: "Upload an image of a pet",
    description:
      "Stores a file of at most 5 MiB and appends its URL to the pet's `photoUrls`. PNG, JPEG, GIF, and WebP files, recognized by content, are displayed as images; any other file is a download.",
    success: done(`additionalMetadata: ${METADATA}\nFile uploaded to ./rex.png, 4096 bytes`),
  },
  getPetImage: {
    summary: "Get an image of a pet",
    description: "Returns an uploaded image, or another uploaded file as a download.",
    success: {
      schema: { type: "string", format: "binary" },
      mediaTypes: ["image/png", "image/jpeg", "image/gif", "image/webp", "application/octet-stream"],
      headers: ["ETag", "Accept-Ranges"],
    },
  },
  getPetById: {
    summary: "Find a pet by ID",
    success: returns("Pet", PET, "ETag"),
  },
  updatePetWithForm: {
    summary: "Update the name and status of a pet",
    description: "Absent fields keep their values.",
    example: CHANGES,
    success: done("1"),
    petstore3: {
      description: `Absent parameters keep the values. ${ONE_REQUIRED}`,
      parameters: {
        name: [`Name of the pet. ${ONE_REQUIRED}`, CHANGES.name],
        status: [
          `Whether the pet can be bought. The inventory omits pets without a status. ${ONE_REQUIRED}`,
          CHANGES.status,
        ],
      },
      success: returns("Pet", { ...PET, ...CHANGES }, "ETag", "Content-Location"),
    },
  },
  deletePet: {
    summary: "Delete a pet",
    description: "Deletes the pet and its uploaded files.",
    success: done("1"),
    petstore3: { success: says("Pet deleted") },
  },
} satisfies Readonly<Record<string, Text>>;
