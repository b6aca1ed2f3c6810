import * as v from "valibot";
import { operation } from "../http/operation.ts";
import { ListParameter, Paging, SingleParameter, Text } from "../http/schemas.ts";
import * as pet from "../pet/contract.ts";
import { ListedPet, NewListedPet, PetStatus, petMembers } from "../pet/pet.ts";
import { inLists } from "../pet/show.ts";
import * as store from "../store/contract.ts";
import * as user from "../user/contract.ts";
import { showNewUser, showUser } from "../user/show.ts";
import { NewUser, User } from "../user/user.ts";

// The operations of Petstore 3. Each overrides its counterpart in the specification where the two differ (interface §11).

const INVALID_INPUT = [400, "Invalid input"] as const;
const INVALID_MEMBER = [422, "Validation exception"] as const;
const INVALID_BODY = { malformed: INVALID_INPUT, invalid: INVALID_MEMBER } as const;

/** A success that is a line of text. */
const shownLine = (line: string) =>
  ({ success: v.string(), show: () => line, mediaTypes: ["text/plain"] }) as const;

/** A success without content. */
const shownNothing = { success: v.undefined(), show: () => undefined, mediaTypes: [] } as const;

const shownPet = { success: ListedPet, show: inLists, etag: true } as const;
const listOfPets = { success: v.array(ListedPet), show: inLists } as const;

export const addPet = operation({
  ...pet.addPet,
  ...shownPet,
  body: { schema: NewListedPet },
  errors: { ...INVALID_BODY, taken: [409, "Duplicate pet"] },
});

export const updatePet = operation({
  ...pet.updatePet,
  ...shownPet,
  body: { ...pet.updatePet.body, schema: ListedPet },
  errors: {
    ...pet.updatePet.errors,
    malformed: pet.updatePet.errors.invalidFirst,
    invalid: INVALID_MEMBER,
  },
});

const { body: _, ...updatePetWithQuery } = pet.updatePetWithForm;

export const updatePetWithForm = operation({
  ...updatePetWithQuery,
  ...shownPet,
  query: v.pipe(
    v.object({
      name: v.optional(SingleParameter(petMembers.name)),
      status: v.optional(SingleParameter(PetStatus)),
    }),
    v.check(({ name, status }) => (name ?? status) !== undefined, "must have a name or a status"),
  ),
  errors: { ...pet.getPetById.errors, invalidParameter: INVALID_INPUT, full: INVALID_INPUT },
});

const NO_FILE = [400, "No file uploaded"] as const;

export const uploadFile = operation({
  ...pet.uploadFile,
  query: v.object({ additionalMetadata: v.optional(SingleParameter(Text)) }),
  body: {
    schema: v.object({ file: pet.ImageForm.entries.file }),
    format: "binary",
    maxBytes: pet.MAX_IMAGE_BYTES,
  },
  errors: {
    ...pet.uploadFile.errors,
    invalidParameter: NO_FILE,
    malformed: NO_FILE,
    invalid: NO_FILE,
    full: NO_FILE,
  },
});

export const findPetsByStatus = operation({
  ...pet.findPetsByStatus,
  ...listOfPets,
  query: v.object({
    status: v.optional(ListParameter(pet.StatusInQuery, "statuses"), ["available"]),
    ...Paging,
  }),
});

export const findPetsByTags = operation({ ...pet.findPetsByTags, ...listOfPets });
export const getPetById = operation({ ...pet.getPetById, ...shownPet });

export const deletePet = operation({
  ...pet.deletePet,
  ...shownLine("Pet deleted"),
  errors: { ...pet.deletePet.errors, invalidParameter: [400, "Invalid pet value"] },
});

export const placeOrder = operation({
  ...store.placeOrder,
  errors: { ...INVALID_BODY, taken: [409, "Duplicate order"] },
});

export const getOrderById = operation({
  ...store.getOrderById,
  params: store.deleteOrder.params,
});

export const deleteOrder = operation({ ...store.deleteOrder, ...shownNothing });

const NEW_USER_ERRORS = { ...user.createUser.errors, ...INVALID_BODY } as const;

export const createUser = operation({
  ...user.createUser,
  success: NewUser,
  show: showNewUser,
  etag: true,
  errors: NEW_USER_ERRORS,
});

export const createUsersWithListInput = operation({
  ...user.createUsersWithListInput,
  success: v.array(NewUser),
  show: (users: readonly NewUser[], viewer) => users.map((each) => showNewUser(each, viewer)),
  errors: NEW_USER_ERRORS,
});

export const loginUser = operation({
  ...user.loginUser,
  success: v.string(),
  show: (token: string) => `Logged in user session: ${token}`,
});

export const logoutUser = operation({
  ...user.logoutUser,
  ...shownLine("User logged out"),
});

const BAD_REQUEST = [400, "bad request"] as const;

export const updateUser = operation({
  ...user.updateUser,
  success: User,
  show: showUser,
  etag: true,
  errors: {
    ...user.updateUser.errors,
    invalidParameter: BAD_REQUEST,
    malformed: BAD_REQUEST,
    invalid: INVALID_MEMBER,
    missing: [404, "user not found"],
  },
});

export const deleteUser = operation({ ...user.deleteUser, ...shownNothing });
