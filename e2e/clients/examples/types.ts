// What the types of openapi.json accept and reject. Only type-checked.
import type { components, operations, paths } from "../generated/openapi-fetch.exact/petstore.ts";

type Schemas = components["schemas"];

export const pet: Schemas["NewPet"] = {
  name: "Rex",
  photoUrls: ["rex.png"],
  status: "sold",
  tags: null,
};
export const classic: Schemas["NewPet"] = { name: "Rex", photoUrls: "rex.png" };
// @ts-expect-error photoUrls is required
export const bare: Schemas["NewPet"] = { name: "Rex" };
// @ts-expect-error there is no such status
export const lost: Schemas["Pet"]["status"] = "lost";
export const path: keyof paths = "/pet/{petId}";
export const id: operations["getPetById"]["parameters"]["path"]["petId"] = 1;
export type Found = operations["getPetById"]["responses"][200]["content"]["application/json"];
export const found: Found = { id, name: "Rex", photoUrls: [] };
export type Missing = operations["getPetById"]["responses"][404]["content"]["application/json"];
export const missing: Missing = { code: 404, type: "error", message: "Pet not found" };
