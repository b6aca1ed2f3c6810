// An example of each property: many tools read no others. Together, they are bodies that succeed with the classic data.
import type { Json } from "./json.ts";
import { CHANGES, METADATA, PET } from "./pet.ts";
import { INVENTORY, ORDER } from "./store.ts";
import { USER } from "./user.ts";

const FIELD_ERROR = { path: "photoUrls", message: "is required" };
/** Lets the service generate an ID. */
const NEW_ID = { id: 0 };

/** The examples of each component by property. `New…`, `…Input`, and `…Form` use those of `Pet` and so on for the others. */
export const EXAMPLES: Readonly<Record<string, Json>> = {
  Pet: PET,
  NewPet: NEW_ID,
  PetForm: CHANGES,
  Category: PET.category,
  Tag: PET.tags[0] ?? {},
  ImageForm: { additionalMetadata: METADATA },
  Inventory: INVENTORY,
  Order: ORDER,
  NewOrder: NEW_ID,
  User: USER,
  NewUser: NEW_ID,
  ApiResponse: { code: 200, type: "unknown", message: "1" },
  ErrorBody: { code: 405, type: "error", message: "Invalid input", errors: [FIELD_ERROR] },
  FieldError: FIELD_ERROR,
};
