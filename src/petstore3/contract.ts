import * as v from "valibot";
import { operation } from "../http/operation.ts";
import { ListParameter, Paging, SingleParameter, Text } from "../http/schemas.ts";
import * as pet from "../pet/contract.ts";
import * as store from "../store/contract.ts";
import * as user from "../user/contract.ts";

// The operations of Petstore 3, each by what differs from the one of the specification (interface §11).

const INVALID = { malformed: 400, invalid: 422 } as const;
const INVALID_ERRORS = { 400: "Invalid input", 422: "Validation exception" } as const;
const shownPet = { success: pet.ListedPet, etag: true } as const;

export const addPet = operation({
  ...pet.addPet,
  ...shownPet,
  body: { ...pet.addPet.body, ...INVALID, schema: pet.NewListedPet },
  errors: { ...INVALID_ERRORS, 409: "Duplicate pet" },
});

export const updatePet = operation({
  ...pet.updatePet,
  ...shownPet,
  body: { ...pet.updatePet.body, ...INVALID, schema: pet.ListedPet },
  errors: { ...pet.getPetById.errors, 422: "Validation exception" },
});

const { body: _, ...updatePetWithQuery } = pet.updatePetWithForm;

export const updatePetWithForm = operation({
  ...updatePetWithQuery,
  ...shownPet,
  query: v.pipe(
    v.object({
      name: v.optional(SingleParameter(pet.petMembers.name)),
      status: v.optional(SingleParameter(pet.PetStatus)),
    }),
    v.check(({ name, status }) => (name ?? status) !== undefined, "must have a name or a status"),
  ),
  errors: { ...pet.getPetById.errors, 400: "Invalid input" },
});

export const uploadFile = operation({
  ...pet.uploadFile,
  query: v.object({ additionalMetadata: v.optional(SingleParameter(Text)) }),
  body: {
    schema: v.object({ file: pet.ImageForm.entries.file }),
    format: "binary",
    maxBytes: pet.MAX_IMAGE_BYTES,
    invalid: 400,
  },
  errors: { ...pet.uploadFile.errors, 400: "No file uploaded" },
});

export const findPetsByStatus = operation({
  ...pet.findPetsByStatus,
  success: v.array(pet.ListedPet),
  query: v.object({
    status: v.optional(ListParameter(pet.PetStatus, "statuses"), ["available"]),
    ...Paging,
  }),
});

export const findPetsByTags = operation({ ...pet.findPetsByTags, success: v.array(pet.ListedPet) });
export const getPetById = operation({ ...pet.getPetById, ...shownPet });

export const deletePet = operation({
  ...pet.deletePet,
  line: "Pet deleted",
  errors: { ...pet.deletePet.errors, 400: "Invalid pet value" },
});

export const placeOrder = operation({
  ...store.placeOrder,
  body: { ...store.placeOrder.body, ...INVALID },
  errors: { ...INVALID_ERRORS, 409: "Duplicate order" },
});

export const getOrderById = operation({
  ...store.getOrderById,
  params: store.deleteOrder.params,
});

export const deleteOrder = operation({ ...store.deleteOrder, line: "Order deleted" });
const newUserErrors = { ...INVALID_ERRORS, 409: user.createUser.errors[409] } as const;

export const createUser = operation({
  ...user.createUser,
  body: { ...user.createUser.body, ...INVALID },
  success: user.NewUser,
  etag: true,
  errors: newUserErrors,
});

export const createUsersWithListInput = operation({
  ...user.createUsersWithListInput,
  body: { ...user.createUsersWithListInput.body, ...INVALID },
  success: v.array(user.NewUser),
  errors: newUserErrors,
});

export const loginUser = operation({ ...user.loginUser, success: v.string() });

export const logoutUser = operation({ ...user.logoutUser, line: "User logged out" });

export const updateUser = operation({
  ...user.updateUser,
  body: { ...user.updateUser.body, ...INVALID },
  success: user.User,
  etag: true,
  errors: {
    ...user.updateUser.errors,
    400: "bad request",
    404: "user not found",
    422: "Validation exception",
  },
});

export const deleteUser = operation({ ...user.deleteUser, line: "User deleted" });
