// The documents for clients of Swagger Petstore. Generators make the same methods and types of them as of Petstore's own
// documents: petstore2.json and petstore3.json have what decides that. Texts, headers, examples and other errors are ours.
import type { JsonSchema } from "@valibot/to-json-schema";
import { INTRODUCTION } from "./introduction.ts";
import { KEYS, KEY_SCHEMES, about, headersOf, operations } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import petstore2 from "./petstore2.json" with { type: "json" };
import petstore3 from "./petstore3.json" with { type: "json" };
import { HEADERS, responsesOf } from "./responses.ts";
import type { Json, Response } from "./responses.ts";
import { models, schemas } from "./schemas.ts";

/** A parameter of Petstore. In Swagger 2.0, only a body has a schema. */
interface StatedParameter extends Json {
  readonly name: string;
  readonly schema?: JsonSchema;
}

/** An operation of Petstore. */
interface Stated extends Json {
  readonly operationId: string;
  readonly parameters: readonly StatedParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, Json> };
  readonly responses: Record<
    string,
    {
      readonly description?: string;
      readonly schema?: Json;
      readonly content?: Record<string, Json>;
    }
  >;
  readonly security?: readonly Json[];
}

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
) => Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));

/** The paths of a document. @throws Error if Petstore has an operation that is not ours */
const pathsOf = (paths: object, write: (stated: Stated, operation: Operation) => Json) =>
  mapValues(paths as Record<string, Record<string, Stated>>, (methods) =>
    mapValues(methods, (stated) => {
      const operation: Operation | undefined = operations[stated.operationId];
      if (!operation) throw new Error(`there is no operation ${stated.operationId}`);
      return write(stated, operation);
    }),
  );

const PETSTORE_AUTH = { petstore_auth: ["write:pets", "read:pets"] };

const oauth = (basePath: string) => ({
  authorizationUrl: `{origin}{path}${basePath}/user/login`,
  scopes: { "read:pets": "Read pets.", "write:pets": "Change pets." },
});
const petstoreAuth = {
  type: "oauth2",
  description: "The token that `GET /user/login` returns. Ignored if access is open.",
};

/** Petstore's credentials, and those that the operation accepts if access is protected. */
function securityOf({ security = [] }: Stated, { access }: Operation): Json {
  const isGuarded = access === "account" || access === "owner";
  if (security.length === 0 && !isGuarded) return {};
  const accepted = isGuarded ? [...security, PETSTORE_AUTH, ...KEYS] : security;
  const distinct = new Map(accepted.map((each) => [JSON.stringify(each), each]));
  return { security: [{}, ...distinct.values()] };
}

const textsOf = (stated: Stated, operation: Operation): Json => ({
  ...stated,
  summary: operation.summary,
  description: operation.description ?? `${operation.summary}.`,
  ...securityOf(stated, operation),
});

/** The description, schema and example of a parameter, which may be our body or a member of it. */
function described({ parameters = [], body }: Operation, name: string) {
  const schema = schemas[body?.schema ?? ""];
  if (name === "body") return { description: schema?.description };
  const parameter = parameters.find((each) => each.name === name);
  if (parameter) return parameter;
  const member = schema?.properties?.[name];
  if (typeof member !== "object") throw new Error(`the parameter ${name} has no description`);
  const example = (body?.example as Json | undefined)?.[name];
  return { description: member.description, schema: member, example };
}

/** @param success the schema of a success, which Petstore may not state */
function swaggerResponse({ description, headers, content }: Response, success?: Json): Json {
  const { schema, example } = content?.["application/json"] ?? {};
  const isError = schema !== undefined;
  const stated = isError ? schema : success;
  // As the schema of a login is text, so is its example.
  const shown = success?.["type"] === "string" ? JSON.stringify(example) : example;
  return {
    description,
    headers: mapValues(headers, (_, name) => {
      const { description: text, schema: type } = HEADERS[name as keyof typeof HEADERS];
      return { description: text, ...type };
    }),
    ...(stated !== undefined && { schema: stated }),
    ...(example !== undefined && { examples: { "application/json": shown } }),
  };
}

const swaggerOperation = (stated: Stated, operation: Operation): Json => {
  const { example } = operation.success;
  const content = { "application/json": { example } };
  return {
    ...textsOf(stated, operation),
    parameters: stated.parameters.map((parameter) => {
      const { description, example: value } = described(operation, parameter.name);
      return { ...parameter, description, "x-example": value };
    }),
    responses: mapValues(responsesOf(stated.operationId, operation, content), (response, status) =>
      swaggerResponse(response, status.startsWith("2") ? stated.responses[200]?.schema : undefined),
    ),
  };
};

/** Before OpenAPI 3.1, a reference has nothing beside it. */
const withBareReferences = (document: Json): Json =>
  JSON.parse(
    JSON.stringify(document, (_, value: Json | null) =>
      typeof value?.["$ref"] === "string" ? { $ref: value["$ref"] } : value,
    ),
  ) as Json;

/** Translates references, and leaves out `not`, which Swagger 2.0 does not have. */
const inSwagger = (document: Json): Json =>
  JSON.parse(
    JSON.stringify(document, (key, value: unknown) =>
      key === "not" ? undefined : value,
    ).replaceAll("#/components/schemas/", "#/definitions/"),
  ) as Json;

/** What tools send for a model. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  Pet: operations["updatePet"]?.body?.example,
  Order: operations["placeOrder"]?.body?.example,
  User: operations["createUser"]?.body?.example,
};

/** The Swagger 2.0 document of `/v2`. */
export const swagger = (): Json =>
  inSwagger(
    withBareReferences({
      swagger: "2.0",
      ...about(INTRODUCTION.petstore2),
      host: "{host}",
      schemes: ["{scheme}"],
      basePath: "{path}/v2",
      consumes: ["application/json"],
      produces: ["application/json"],
      paths: pathsOf(petstore2.paths, swaggerOperation),
      securityDefinitions: {
        petstore_auth: { ...petstoreAuth, flow: "implicit", ...oauth("/v2") },
        ...KEY_SCHEMES,
      },
      definitions: mapValues(models, (model, name) => ({ ...model, example: EXAMPLES[name] })),
    }),
  );

/** Petstore's type of a parameter; ours, which has limits, if it is the same. */
function parameter3(parameter: StatedParameter, operation: Operation): Json {
  const ours = described(operation, parameter.name);
  const schema = ours.schema?.type === parameter.schema?.type ? ours.schema : parameter.schema;
  const example = schema?.type === "array" ? ours.example : [ours.example].flat()[0];
  return { ...parameter, description: ours.description, schema, example };
}

function operation3(stated: Stated, ours: Operation): Json {
  const { 200: found, ...errors } = stated.responses;
  const { success = ours.success, ...differences } = ours.petstore3 ?? {};
  const operation: Operation = {
    ...ours,
    ...differences,
    success: { schema: {}, ...success },
    errors: mapValues(errors, ({ description = "" }) => description),
  };
  const withExample = (content: Record<string, Json>, example: unknown) =>
    mapValues(content, (body) => ({ ...body, example }));
  return {
    ...textsOf(stated, operation),
    parameters: stated.parameters.map((parameter) => parameter3(parameter, operation)),
    ...(stated.requestBody && {
      requestBody: {
        ...stated.requestBody,
        content: withExample(stated.requestBody.content, ours.body?.example),
      },
    }),
    responses: responsesOf(
      stated.operationId,
      operation,
      found?.content && withExample(found.content, success.example),
    ),
  };
}

/** The OpenAPI 3.0 document of `/api/v3`, as gateways and converters take Petstore's. */
export function openApi3(): Json {
  const paths = pathsOf(petstore3.paths, operation3);
  return withBareReferences({
    openapi: "3.0.4",
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
  });
}
