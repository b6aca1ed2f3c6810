import { BASE_PATH } from "../../src/http/base-path.ts";
import type { Deployment } from "./document.ts";
import type { Json, OperationObject, Parameter } from "./json.ts";

// What the documents of both Petstores, swagger.json and petstore3.json, have in common: where they differ from our
// openapi.json.

/** Integers that have 32 bits in Petstore. The service accepts and returns more: integers within ±(2^53−1). */
export const INT32 = new Set(["Order.quantity", "User.userStatus", "ApiResponse.code"]);

/** Parameters that Petstore does not have. They would change the arguments of a method. */
const LEFT_OUT = new Set(["limit", "after"]);

/** The schema of Petstore's inventory. */
export const INVENTORY = {
  type: "object",
  additionalProperties: { type: "integer", format: "int32" },
};

export const API_KEY = {
  name: "api_key",
  in: "header",
  required: false,
  description: "API key for authorization.",
};

export const PETSTORE_AUTH = { petstore_auth: ["write:pets", "read:pets"] };

/** Operations that Petstore's API key may call. Its other operations on pets need `petstore_auth`. */
const NEEDS_KEY = new Set(["getPetById", "getInventory"]);

export const IMPLICIT_FLOW = {
  authorizationUrl: `{origin}${BASE_PATH}/user/login`,
  scopes: {
    "read:pets": "read your pets",
    "write:pets": "modify pets in your account",
  },
};

const TOKEN = {
  open: "Not needed here, and ignored. There is no page to authorize at: `GET /user/login` gives a token.",
  protected: "The token that `GET /user/login` gives. There is no page to authorize at.",
};
const KEY = {
  open: "Not needed here, and ignored.",
  protected: "The key of this deployment, if it has one.",
};

/**
 * The credentials of Petstore.
 * @param flow `IMPLICIT_FLOW` in the version of the document
 */
export const securitySchemes = (access: Deployment["access"], flow: Json): Json => ({
  petstore_auth: { type: "oauth2", ...flow, description: TOKEN[access] },
  api_key: { type: "apiKey", in: "header", name: "api_key", description: KEY[access] },
});

/** The parameters of an operation that Petstore has too. */
export const parametersOf = ({ parameters = [] }: OperationObject): readonly Parameter[] =>
  parameters.filter(({ name, in: where }) => where !== "header" && !LEFT_OUT.has(name));

/** The credentials of an operation, under Petstore's names. */
export function securityOf(
  { operationId, tags, security = [] }: OperationObject,
  access: Deployment["access"],
): Json[] | undefined {
  if (access === "open") {
    if (NEEDS_KEY.has(operationId)) return [{ api_key: [] }];
    return tags.includes("pet") && operationId !== "getPetImage" ? [PETSTORE_AUTH] : undefined;
  }
  if (security.length === 0) return undefined;
  const isOptional = security.some((requirement) => Object.keys(requirement).length === 0);
  return isOptional ? undefined : [PETSTORE_AUTH, { api_key: [] }];
}
