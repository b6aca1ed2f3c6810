import { describe, expect, test } from "vitest";
import { operationsOf, petstore3 as ours } from "./openapi.ts";
import type { OperationObject, Schema } from "./openapi.ts";

// A generator makes the same client from our document as from that of Petstore 3 (1.0.27), as far as code that calls the
// client can tell. These are the facts of that document.

interface Fact {
  readonly name: string;
  /** What decides the signature of the method. */
  readonly signature: string;
  /** The signature that we have, if it is another one. */
  readonly ours?: string;
  /** The meanings of its statuses. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly credentials?: readonly string[];
}

const AUTH = ["petstore_auth"];

const FACTS: readonly Fact[] = [
  {
    name: "PUT /pet",
    signature: "updatePet(application/json: Pet): Pet",
    errors: { 400: "Invalid ID supplied", 404: "Pet not found", 422: "Validation exception" },
    credentials: AUTH,
  },
  {
    name: "POST /pet",
    signature: "addPet(application/json: Pet): Pet",
    errors: { 400: "Invalid input", 422: "Validation exception" },
    credentials: AUTH,
  },
  {
    name: "GET /pet/findByStatus",
    signature: 'findPetsByStatus(query status?: available | pending | sold = "available"): Pet[]',
    errors: { 400: "Invalid status value" },
    credentials: AUTH,
  },
  {
    name: "GET /pet/findByTags",
    signature: "findPetsByTags(query tags?: string[]): Pet[]",
    errors: { 400: "Invalid tag value" },
    credentials: AUTH,
  },
  {
    name: "GET /pet/{petId}",
    signature: "getPetById(path petId: int64): Pet",
    errors: { 400: "Invalid ID supplied", 404: "Pet not found" },
    credentials: ["api_key", "petstore_auth"],
  },
  {
    name: "POST /pet/{petId}",
    signature:
      "updatePetWithForm(path petId: int64, query name?: string, query status?: string): Pet",
    errors: { 400: "Invalid input" },
    credentials: AUTH,
  },
  {
    name: "DELETE /pet/{petId}",
    signature: "deletePet(header api_key?: string, path petId: int64): none",
    errors: { 400: "Invalid pet value" },
    credentials: AUTH,
  },
  {
    name: "POST /pet/{petId}/uploadImage",
    signature:
      "uploadFile(path petId: int64, query additionalMetadata?: string, application/octet-stream?: binary): ApiResponse",
    errors: { 400: "No file uploaded", 404: "Pet not found" },
    credentials: AUTH,
  },
  {
    name: "GET /store/inventory",
    signature: "getInventory(): Record<string, int32>",
    credentials: ["api_key"],
  },
  {
    name: "POST /store/order",
    signature: "placeOrder(application/json?: Order): Order",
    errors: { 400: "Invalid input", 422: "Validation exception" },
  },
  {
    name: "GET /store/order/{orderId}",
    signature: "getOrderById(path orderId: int64): Order",
    errors: { 400: "Invalid ID supplied", 404: "Order not found" },
  },
  {
    name: "DELETE /store/order/{orderId}",
    signature: "deleteOrder(path orderId: int64): none",
    errors: { 400: "Invalid ID supplied", 404: "Order not found" },
  },
  {
    name: "POST /user",
    signature: "createUser(application/json?: User): User",
  },
  {
    name: "POST /user/createWithList",
    signature: "createUsersWithListInput(application/json?: User[]): User",
    // Petstore's server answers the array, too.
    ours: "createUsersWithListInput(application/json?: User[]): User[]",
  },
  {
    name: "GET /user/login",
    signature: "loginUser(query username?: string, query password?: string): string",
    errors: { 400: "Invalid username/password supplied" },
  },
  { name: "GET /user/logout", signature: "logoutUser(): none" },
  {
    name: "GET /user/{username}",
    signature: "getUserByName(path username: string): User",
    errors: { 400: "Invalid username supplied", 404: "User not found" },
  },
  {
    name: "PUT /user/{username}",
    signature: "updateUser(path username: string, application/json?: User): none",
    // Petstore's server answers the user, too.
    ours: "updateUser(path username: string, application/json?: User): User",
    errors: { 400: "bad request", 404: "user not found" },
  },
  {
    name: "DELETE /user/{username}",
    signature: "deleteUser(path username: string): none",
    errors: { 400: "Invalid username supplied", 404: "User not found" },
  },
];

const MODELS = {
  Order:
    "id?: int64, petId?: int64, quantity?: int32, shipDate?: date-time, status?: placed | approved | delivered, complete?: boolean",
  Category: "id?: int64, name?: string",
  User: "id?: int64, username?: string, firstName?: string, lastName?: string, email?: string, password?: string, phone?: string, userStatus?: int32",
  Tag: "id?: int64, name?: string",
  Pet: "id?: int64, name: string, category?: Category, photoUrls: string[], tags?: Tag[], status?: available | pending | sold",
  ApiResponse: "code?: int32, type?: string, message?: string",
};

function typeOf(schema: Schema | undefined): string {
  if (!schema) return "none";
  const { $ref, type, format, enum: values, items, additionalProperties } = schema;
  if ($ref !== undefined) return $ref.split("/").at(-1) ?? "";
  if (items) return `${typeOf(items)}[]`;
  if (additionalProperties) return `Record<string, ${typeOf(additionalProperties)}>`;
  const one = values?.join(" | ") ?? format ?? String(type);
  return schema.default === undefined ? one : `${one} = ${JSON.stringify(schema.default)}`;
}

const input = (name: string, isRequired: boolean | undefined, schema: Schema | undefined) =>
  `${name}${isRequired ? "" : "?"}: ${typeOf(schema)}`;

const membersOf = ({ properties = {}, required = [] }: Schema) =>
  Object.entries(properties).map(([name, schema]) => input(name, required.includes(name), schema));

function signatureOf({ operationId, parameters = [], requestBody, responses }: OperationObject) {
  const inputs = [
    ...parameters.map(({ name, in: where, required, schema }) =>
      input(`${where} ${name}`, required, schema),
    ),
    ...Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
      input(type, requestBody?.required, schema),
    ),
  ];
  const result = typeOf(responses["200"]?.content?.["application/json"]?.schema);
  return `${operationId}(${inputs.join(", ")}): ${result}`;
}

const operations = new Map(
  operationsOf(ours).map((operation) => [`${operation.method} ${operation.path}`, operation]),
);

test("the operations are those of Petstore 3, in OpenAPI 3.0 §9.10", () => {
  expect(ours.openapi).toBe("3.0.4");
  expect([...operations.keys()].toSorted()).toEqual(FACTS.map(({ name }) => name).toSorted());
});

describe.each(FACTS)("$name", ({ name, signature, ours: own, errors = {}, credentials = [] }) => {
  const operation = operations.get(name);

  test("has the signature that it has in Petstore 3, except where ours says more §9.10", () => {
    expect(operation && signatureOf(operation)).toBe(own ?? signature);
  });

  test("has the statuses and the credentials that it has in Petstore 3 §9.4 §9.10", () => {
    const messages = Object.entries(operation?.responses ?? {}).flatMap(
      ([status, { description }]) => (status in errors ? [[status, description]] : []),
    );
    expect(Object.fromEntries(messages)).toEqual(errors);
    expect((operation?.security ?? []).flatMap(Object.keys)).toEqual(credentials);
  });
});

test("the models are those of Petstore 3, and those of errors §9.10", () => {
  const { ErrorBody, FieldError, ...others } = ours.components.schemas;
  expect([ErrorBody, FieldError]).not.toContain(undefined);
  expect(
    Object.fromEntries(
      Object.entries(others).map(([name, model]) => [name, membersOf(model).toSorted()]),
    ),
  ).toEqual(
    Object.fromEntries(
      Object.entries(MODELS).map(([name, members]) => [name, members.split(", ").toSorted()]),
    ),
  );
});
