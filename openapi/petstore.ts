// The documents for clients of Swagger Petstore. Generators produce the same methods and types from them as from Petstore's own
// documents. This file has the parts that decide this and differ from our document.
import type { JsonSchema } from "@valibot/to-json-schema";
import * as store from "../src/orders/schemas.ts";
import * as pet from "../src/pets/schemas.ts";
import * as user from "../src/users/schemas.ts";
import { v3 } from "../src/v3.ts";
import { HEADERS, type HeaderName } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import { mapValues, type Json } from "./json.ts";
import { KEYS, KEY_SCHEMES, about, headersOf, headersOfRequest, parameterText, pathsOf, routes2 } from "./openapi.ts";
import { PET } from "./pet.ts";
import { responsesOf, type Response } from "./responses.ts";
import { routesOf, type Route } from "./routes.ts";
import { componentOf, models, petstoreSchemaOf, schemas } from "./schemas.ts";
import { NEW_ORDER } from "./store.ts";
import { listOf, mediaOf, ref, type Text } from "./texts.ts";
import { NEW_USER } from "./user.ts";

/** Petstore has one model for all bodies with a pet, an order or a user. */
const MODELS = new Map<unknown, JsonSchema>([
  [pet.NewPet, ref("Pet")],
  [pet.Pet, ref("Pet")],
  [pet.NewPet3, ref("Pet")],
  [pet.Pet3, ref("Pet")],
  [store.NewOrder, ref("Order")],
  [user.NewUser, ref("User")],
  [user.NewUsers, listOf("User")],
]);

const COUNTS: JsonSchema = { type: "object", additionalProperties: { type: "integer", format: "int32" } };

const PETSTORE_AUTH = { petstore_auth: ["write:pets", "read:pets"] };
const API_KEY = { api_key: [] };

/** The credentials that Petstore declares for operations that are public here. */
const SECURITY: Readonly<Record<string, readonly [of2: readonly Json[], of3: readonly Json[]]>> = {
  findPetsByStatus: [[PETSTORE_AUTH], [PETSTORE_AUTH]],
  findPetsByTags: [[PETSTORE_AUTH], [PETSTORE_AUTH]],
  getPetById: [[API_KEY], [API_KEY, PETSTORE_AUTH]],
  getInventory: [[API_KEY], [API_KEY]],
};

function securityOf({ operationId, isProtected }: Route, version: 2 | 3): Json {
  const accepted = isProtected ? [PETSTORE_AUTH, ...KEYS] : SECURITY[operationId]?.[version - 2];
  return accepted ? { security: [{}, ...accepted] } : {};
}

/** Petstore's schemas of parameters, by operation and name, where generators would produce another type from ours. */
const PARAMETER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  "updatePetWithForm status": { type: "string" },
};
const PARAMETER_SCHEMAS_3: Readonly<Record<string, JsonSchema>> = {
  ...PARAMETER_SCHEMAS,
  "findPetsByStatus status": { ...petstoreSchemaOf(pet.PetStatus), default: "available" },
};

/** Returns the parameters in the path and the query. Petstore has no paging. */
const parametersOf = ({ operationId, parameters }: Route, text: Text, own: Readonly<Record<string, JsonSchema>>) =>
  parameters
    .filter(({ name }) => name !== "limit" && name !== "after")
    .map(({ name, in: where, isRequired, schema }) => ({
      name,
      in: where,
      isRequired,
      schema: own[`${operationId} ${name}`] ?? petstoreSchemaOf(schema),
      ...parameterText(name, text),
    }));

const oauth = (basePath: string) => ({
  authorizationUrl: `{origin}{path}${basePath}/user/login`,
  scopes: { "read:pets": "Read pets.", "write:pets": "Change pets." },
});
const petstoreAuth = {
  type: "oauth2",
  description: "The token that `GET /user/login` returns. Ignored if access is open.",
};

// Some clients enforce limits, so that tests could not send invalid values: as in Petstore's document, only order IDs have limits.

const LIMITS = /^(?:const|not|pattern|minimum|maximum|(?:min|max)(?:Length|Items))$/;

const withoutLimits = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (LIMITS.test(key) ? undefined : inner))) as Value;

/** The operations whose success has no schema in Petstore 2. */
const WITHOUT_RESULT = /^(?:addPet|updatePet|updatePetWithForm|create\w+|updateUser|delete\w+|logoutUser)$/;

/** The schemas of successes in Petstore 2 that differ from ours. */
const RESULTS: Readonly<Record<string, JsonSchema | { type: "file" }>> = {
  getPetImage: { type: "file" },
  getInventory: COUNTS,
  loginUser: { type: "string" },
};

function swaggerResponse({ description, headers, content }: Response, schema: unknown): Json {
  const example = content?.["application/json"]?.examples?.example.value;
  // The result of a login is text, and so is its example.
  const shown = schema === RESULTS["loginUser"] ? JSON.stringify(example) : example;
  return {
    description,
    headers: mapValues(headers, (found, name) => {
      const header = { ...HEADERS[name as HeaderName], ...found };
      return { description: header.description, ...header.schema };
    }),
    schema,
    ...(shown !== undefined && { examples: { "application/json": shown } }),
  };
}

/** Returns the body of an operation as parameters. */
function bodyParameters({ operationId, body }: Route, { example }: Text): Json[] {
  if (!body?.schema) return [];
  const component = schemas[componentOf(body.schema)];
  const model = MODELS.get(body.schema);
  if (model) {
    // A list has no model that could have the example.
    const schema = model.type === "array" ? { ...model, example } : model;
    const { description } = component ?? {};
    return [{ name: "body", in: "body", required: true, description, schema }];
  }
  return Object.entries(component?.properties ?? {}).map(([name, property]) => {
    const { description, type, format } = property as JsonSchema;
    const kind = format === "binary" ? "file" : (PARAMETER_SCHEMAS[`${operationId} ${name}`]?.type ?? type);
    const shown = (example as Json | undefined)?.[name];
    return { name, in: "formData", required: false, type: kind, description, "x-example": shown };
  });
}

function swaggerOperation(route: Route, text: Text): Json {
  const { operationId, body } = route;
  const parameters = parametersOf(route, text, PARAMETER_SCHEMAS).map(
    ({ isRequired, schema, example, ...parameter }) => ({
      ...parameter,
      required: isRequired,
      ...(parameter.name === "orderId" ? schema : withoutLimits(schema)),
      ...(schema.type === "array" && { collectionFormat: "multi" }),
      "x-example": example,
    }),
  );
  const { mediaTypes = [] } = text.success;
  return {
    ...securityOf(route, 2),
    ...(body && { consumes: body.mediaTypes.slice(0, 1) }),
    produces: [...mediaTypes, "application/json"],
    parameters: [...headersOfRequest(route, { type: "string" }), ...parameters, ...bodyParameters(route, text)],
    responses: mapValues(responsesOf(route, text), (response, status) => {
      const { schema } = response.content?.["application/json"] ?? {};
      if (status !== "200" && status !== "206") return swaggerResponse(response, schema);
      return swaggerResponse(response, WITHOUT_RESULT.test(operationId) ? undefined : (RESULTS[operationId] ?? schema));
    }),
  };
}

type Node = Json & { readonly $ref?: string };

/** Maps each object of a document. Before OpenAPI 3.1, a reference cannot have siblings. */
const changed = (document: Json, change: (node: Node) => Json): Json =>
  JSON.parse(
    JSON.stringify(document, (_, value: Node | readonly unknown[] | null) =>
      value?.constructor === Object ? change(value as Node) : value,
    ),
  ) as Json;

/** The bodies that tools send for a model. */
const MODEL_EXAMPLES: Readonly<Record<string, unknown>> = {
  Pet: PET,
  Order: NEW_ORDER,
  User: NEW_USER,
};

/** Returns the Swagger 2.0 document of `/v2`. */
export function swagger(): Json {
  const document = {
    swagger: "2.0",
    ...about(INTRODUCTION.petstore2),
    host: "{host}",
    schemes: ["{scheme}"],
    basePath: "{path}/v2",
    consumes: ["application/json"],
    produces: ["application/json"],
    paths: pathsOf(routes2, swaggerOperation),
    securityDefinitions: {
      petstore_auth: { ...petstoreAuth, flow: "implicit", ...oauth("/v2") },
      ...KEY_SCHEMES,
    },
    definitions: mapValues(withoutLimits(models), (model, name) => ({ ...model, example: MODEL_EXAMPLES[name] })),
  };
  return changed(document, ({ $ref, ...node }) =>
    $ref === undefined ? node : { $ref: $ref.replace("#/components/schemas/", "#/definitions/") },
  );
}

/** The service requires what Petstore marks as optional. */
const MISSING = "Returns 400 if missing.";

/** Returns the body of an operation. Petstore marks only pets as required. */
function bodyOf3({ operationId, body }: Route, { example }: Text): Json {
  if (!body) return {};
  const schema = body.schema ? MODELS.get(body.schema) : { type: "string", format: "binary" };
  const content = Object.fromEntries(body.mediaTypes.map((type) => [type, mediaOf(schema, example)]));
  const required = operationId === "addPet" || operationId === "updatePet";
  return { requestBody: { ...(!required && { description: MISSING }), required, content } };
}

function operation3(route: Route, text: Text): Json {
  const parameters = parametersOf(route, text, PARAMETER_SCHEMAS_3).map(
    ({ isRequired, description, ...parameter }) => ({
      ...parameter,
      description: isRequired && parameter.in === "query" ? `${description} ${MISSING}` : description,
      required: isRequired && parameter.in === "path",
      ...(route.operationId.startsWith("findPetsBy") && { explode: true }),
    }),
  );
  const success = route.operationId === "getInventory" ? { ...text.success, schema: COUNTS } : text.success;
  return {
    ...securityOf(route, 3),
    parameters: [...headersOfRequest(route, { schema: { type: "string" } }), ...parameters],
    ...bodyOf3(route, text),
    responses: responsesOf(route, { ...text, success }),
  };
}

/** Returns the OpenAPI 3.0 document of `/api/v3`, the version of Petstore's document. */
export function openApi3(): Json {
  const paths = pathsOf(routesOf(v3), operation3, true);
  const document = {
    // Importers built on older parsers reject 3.0.4.
    openapi: "3.0.3",
    ...about(INTRODUCTION.petstore3),
    servers: [{ url: "{origin}{path}/api/v3" }],
    paths,
    components: {
      schemas: models,
      headers: headersOf(paths),
      securitySchemes: {
        petstore_auth: { ...petstoreAuth, flows: { implicit: oauth("/api/v3") } },
        ...KEY_SCHEMES,
      },
    },
  };
  // OpenAPI 3.0 has no `const`.
  return changed(document, ({ $ref, const: only, ...node }) => {
    if ($ref !== undefined) return { $ref };
    return only === undefined ? node : { ...node, enum: [only] };
  });
}
