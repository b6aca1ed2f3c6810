import { describe, expect, test } from "vitest";
import { operationsOf, petstore3 as ours } from "./openapi.ts";
import type { OperationObject, Schema } from "./openapi.ts";

// Code that calls a client of Petstore 3 (1.0.27) can call one that a generator makes from our document. Ours may have more
// operations, and models with more members, all optional. These are the facts of Petstore's document.

/** Each operation with its signature, and then its credentials and the meanings of its statuses. */
const PETSTORE3 = `
PUT /pet: updatePet(application/json: Pet): Pet
  petstore_auth; 400 Invalid ID supplied; 404 Pet not found; 422 Validation exception
POST /pet: addPet(application/json: Pet): Pet
  petstore_auth; 400 Invalid input; 422 Validation exception
GET /pet/findByStatus: findPetsByStatus(query status?: available | pending | sold = "available"): Pet[]
  petstore_auth; 400 Invalid status value
GET /pet/findByTags: findPetsByTags(query tags?: string[]): Pet[]
  petstore_auth; 400 Invalid tag value
GET /pet/{petId}: getPetById(path petId: int64): Pet
  api_key petstore_auth; 400 Invalid ID supplied; 404 Pet not found
POST /pet/{petId}: updatePetWithForm(path petId: int64, query name?: string, query status?: string): Pet
  petstore_auth; 400 Invalid input
DELETE /pet/{petId}: deletePet(header api_key?: string, path petId: int64): none
  petstore_auth; 400 Invalid pet value
POST /pet/{petId}/uploadImage: uploadFile(path petId: int64, query additionalMetadata?: string, application/octet-stream?: binary): ApiResponse
  petstore_auth; 400 No file uploaded; 404 Pet not found
GET /store/inventory: getInventory(): Record<string, int32>
  api_key
POST /store/order: placeOrder(application/json?: Order): Order
  no credential; 400 Invalid input; 422 Validation exception
GET /store/order/{orderId}: getOrderById(path orderId: int64): Order
  no credential; 400 Invalid ID supplied; 404 Order not found
DELETE /store/order/{orderId}: deleteOrder(path orderId: int64): none
  no credential; 400 Invalid ID supplied; 404 Order not found
POST /user: createUser(application/json?: User): User
  no credential
POST /user/createWithList: createUsersWithListInput(application/json?: User[]): User
  no credential
GET /user/login: loginUser(query username?: string, query password?: string): string
  no credential; 400 Invalid username/password supplied
GET /user/logout: logoutUser(): none
  no credential
GET /user/{username}: getUserByName(path username: string): User
  no credential; 400 Invalid username supplied; 404 User not found
PUT /user/{username}: updateUser(path username: string, application/json?: User): none
  no credential; 400 bad request; 404 user not found
DELETE /user/{username}: deleteUser(path username: string): none
  no credential; 400 Invalid username supplied; 404 User not found
`;

/** Where the signature says what Petstore's server does, instead of what its document says. */
const OURS: Readonly<Record<string, string>> = {
  "POST /user/createWithList": "createUsersWithListInput(application/json?: User[]): User[]",
  "PUT /user/{username}": "updateUser(path username: string, application/json?: User): User",
  "DELETE /pet/{petId}": "deletePet(header api_key?: string, path petId: int64): string",
  "GET /user/logout": "logoutUser(): string",
};

const FACTS = [...PETSTORE3.matchAll(/^(\S+ \S+): (.+)\n {2}([^;\n]+)(.*)$/gm)].map(
  ([, name = "", signature = "", credentials = "", errors = ""]) => ({
    name,
    signature: OURS[name] ?? signature,
    credentials: credentials === "no credential" ? [] : credentials.split(" "),
    errors: Object.fromEntries(
      [...errors.matchAll(/; (\d+) ([^;]+)/g)].map(([, status = "", what = ""]) => [status, what]),
    ),
  }),
);

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
  const [content] = Object.values(responses["200"]?.content ?? {});
  const result = typeOf(content?.schema);
  return `${operationId}(${inputs.join(", ")}): ${result}`;
}

const operations = new Map(
  operationsOf(ours).map((operation) => [`${operation.method} ${operation.path}`, operation]),
);

test("the document is of OpenAPI 3.0 §9.10", () => {
  expect(ours.openapi).toBe("3.0.4");
  expect(FACTS).toHaveLength(19);
});

describe.each(FACTS)("$name", ({ name, signature, errors, credentials }) => {
  const operation = operations.get(name);

  test("has the signature that it has in Petstore 3, except where ours says more §9.10", () => {
    expect(operation && signatureOf(operation)).toBe(signature);
  });

  test("has the statuses and the credentials that it has in Petstore 3 §9.4 §9.10", () => {
    const messages = Object.entries(operation?.responses ?? {}).flatMap(
      ([status, { description }]) => (status in errors ? [[status, description]] : []),
    );
    expect(Object.fromEntries(messages)).toEqual(errors);
    expect((operation?.security ?? []).flatMap(Object.keys)).toEqual(credentials);
  });
});

test.each(Object.entries(MODELS))(
  "the model %s has the members of Petstore 3, and requires no other §9.10",
  (name, stated) => {
    const expected = stated.split(", ");
    const members = membersOf(ours.components.schemas[name] ?? {});
    expect(expected.filter((member) => !members.includes(member))).toEqual([]);
    const others = members.filter((member) => !expected.includes(member));
    expect(others.filter((member) => !member.includes("?:"))).toEqual([]);
  },
);
