import { done, listOf, returns, says, type Parameters, type Text } from "./texts.ts";

const NEW_PET = {
  category: { id: 1, name: "Dogs" },
  name: "Rex",
  photoUrls: ["https://pets.example/rex.png"],
  tags: [{ id: 1, name: "friendly" }],
  status: "available",
};
const PET = { id: 1, ...NEW_PET };
export const PENDING = { ...PET, status: "pending" };
const CHANGES = { name: NEW_PET.name, status: "sold" };

export const petParameters = {
  petId: ["Id of the pet. Other integers are 404.", 1],
  status: ["Statuses, separated by commas. May be repeated.", ["available", "pending"]],
  tags: ["Names of tags, separated by commas. May be repeated.", ["friendly"]],
  limit: ["At most so many pets. `Link` has the next page.", 100],
  after: ["Only pets with greater ids.", 0],
  name: ["Name of the image: the end of its URL in `photoUrls`.", "5f8e3d0e-1c1f-4c8e-9a53-0d6f3f6a2b11.png"],
  additionalMetadata: ["Any text about the file. Returned in `message`.", undefined],
} satisfies Parameters;

/** In the order of the documents: tools that send the examples one after the other delete the pet last. */
export const petTexts: Readonly<Record<string, Text>> = {
  addPet: {
    summary: "Add a pet to the store",
    example: NEW_PET,
    success: returns("Pet", PET, "ETag", "Content-Location"),
  },
  updatePet: {
    summary: "Replace an existing pet",
    description: "Replaces the whole pet: absent members are removed. Never creates a pet.",
    example: PENDING,
    success: returns("Pet", PENDING, "ETag", "Content-Location"),
  },
  findPetsByStatus: {
    summary: "Find pets by status",
    success: returns(listOf("Pet"), [PET], "Link"),
    petstore3: { parameters: { status: [petParameters.status[0], "available"] } },
  },
  findPetsByTags: {
    summary: "Find pets by tags",
    description: "Finds pets that have any of the tags, by exact name.",
    success: returns(listOf("Pet"), [PET], "Link"),
  },
  uploadFile: {
    summary: "Upload an image of a pet",
    description:
      "Stores a file of at most 5 MiB and appends its URL to the pet's `photoUrls`. PNG, JPEG, GIF and WebP, recognized by content, are shown as images; any other file is a download.",
    success: done("additionalMetadata: at the lake\nFile uploaded to ./rex.png, 4096 bytes"),
  },
  getPetImage: {
    summary: "Get an image of a pet",
    description: "Returns an uploaded image, or another uploaded file as a download.",
    success: {
      schema: { type: "string", format: "binary" },
      mediaTypes: ["image/png", "image/jpeg", "image/gif", "image/webp", "application/octet-stream"],
      headers: ["ETag", "Accept-Ranges", "Content-Disposition"],
    },
  },
  getPetById: {
    summary: "Find a pet by its id",
    success: returns("Pet", PET, "ETag"),
  },
  updatePetWithForm: {
    summary: "Update the name and status of a pet",
    description: "Absent fields keep their values.",
    example: CHANGES,
    success: done("1"),
    petstore3: {
      description: "Absent parameters keep the values. One of them is needed.",
      parameters: {
        name: ["Name of the pet.", CHANGES.name],
        status: ["Whether the pet can be bought. The inventory leaves out pets without a status.", CHANGES.status],
      },
      success: returns("Pet", { ...PET, ...CHANGES }, "ETag"),
    },
  },
  deletePet: {
    summary: "Delete a pet",
    description: "Deletes the pet and its uploaded files.",
    success: done("1"),
    petstore3: { success: says("Pet deleted") },
  },
};
