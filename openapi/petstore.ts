// The documents for clients of Swagger Petstore. Generators make the same methods and types of them as of Petstore's own
// documents: petstore2.json and petstore3.json have what decides that. Texts, headers, examples and other errors are ours.
import type { JsonSchema } from "@valibot/to-json-schema";
import { HEADERS, type HeaderName } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import { mapValues, type Json } from "./json.ts";
import { KEYS, KEY_SCHEMES, about, headersOf, operations } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import petstore2 from "./petstore2.json" with { type: "json" };
import petstore3 from "./petstore3.json" with { type: "json" };
import { responsesOf, type Response } from "./responses.ts";
import { models, schemas } from "./schemas.ts";

/** An operation of Petstore. */
interface Stated extends Json {
  readonly operationId: string;
  /** In Swagger 2.0, only a body has a schema. */
  readonly parameters: readonly (Json & { readonly name: string; readonly schema?: JsonSchema })[];
  readonly requestBody?: { readonly content: Record<string, Json> };
  readonly responses: Record<string, { description?: string; schema?: Json; content?: Record<string, Json> }>;
  readonly security?: readonly Json[];
}

/** The paths of a document. @param write what an operation has besides texts and credentials */
const pathsOf = (
  paths: object,
  ours: Readonly<Record<string, Operation>>,
  write: (stated: Stated, operation: Operation) => Json,
) =>
  mapValues(paths as Record<string, Record<string, Stated>>, (methods) =>
    mapValues(methods, (stated) => {
      const operation = ours[stated.operationId];
      if (!operation) throw new Error(`there is no operation ${stated.operationId}`);
      const { summary, description = `${summary}.` } = operation;
      return { ...stated, summary, description, ...securityOf(stated, operation), ...write(stated, operation) };
    }),
  );

const PETSTORE_AUTH = { petstore_auth: ["write:pets", "read:pets"] };

/** The credentials that the operation accepts if access is protected, or else Petstore's. */
function securityOf({ security = [] }: Stated, { access }: Operation): Json {
  const accepted = access === "account" || access === "owner" ? [PETSTORE_AUTH, ...KEYS] : security;
  return accepted.length === 0 ? {} : { security: [{}, ...accepted] };
}

const oauth = (basePath: string) => ({
  authorizationUrl: `{origin}{path}${basePath}/user/login`,
  scopes: { "read:pets": "Read pets.", "write:pets": "Change pets." },
});
const petstoreAuth = {
  type: "oauth2",
  description: "The token that `GET /user/login` returns. Ignored if access is open.",
};

/** The description, schema and example of a parameter of Petstore, which may be our body or a member of it. */
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

/** @param success Petstore's schema of a success, which may be none */
function swaggerResponse({ description, headers, content }: Response, success?: Json): Json {
  const { schema = success, example } = content?.["application/json"] ?? {};
  // As the schema of a login is text, so is its example.
  const shown = success?.["type"] === "string" ? JSON.stringify(example) : example;
  return {
    description,
    headers: mapValues(headers, (_, name) => {
      const header = HEADERS[name as HeaderName];
      return { description: header.description, ...header.schema };
    }),
    schema,
    ...(shown !== undefined && { examples: { "application/json": shown } }),
  };
}

const swaggerOperation = ({ parameters, responses }: Stated, ours: Operation): Json => ({
  parameters: parameters.map((parameter) => {
    const { description, example } = described(ours, parameter.name);
    const { schema } = parameter;
    // A list has no model, which would have the example.
    const list = schema?.type === "array" && { schema: { ...schema, example: ours.body?.example } };
    return { ...parameter, description, "x-example": example, ...list };
  }),
  responses: mapValues(
    responsesOf(ours, { "application/json": { example: ours.success.example } }),
    (response, status) => swaggerResponse(response, responses[status]?.schema),
  ),
});

type Node = Json & { readonly $ref?: string };

/** Changes each object of a document. Nothing may stand beside a reference before OpenAPI 3.1. */
const changed = (document: Json, change: (node: Node) => Json): Json =>
  JSON.parse(
    JSON.stringify(document, (_, value: Node | readonly unknown[] | null) =>
      value?.constructor === Object ? change(value as Node) : value,
    ),
  ) as Json;

const LIMITS = /^(?:const|not|pattern|minimum|maximum|(?:min|max)(?:Length|Items))$/;

/** The models without limits, as in Petstore's document: some clients enforce them, so no test could send an error. */
const types = JSON.parse(
  JSON.stringify(models, (key, value: unknown) => (LIMITS.test(key) ? undefined : value)),
) as typeof models;

/** What tools send for a model. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  // The classic data has the pets 1 to 10.
  Pet: { ...(operations["updatePet"]?.body?.example as object), id: 11 },
  Order: operations["placeOrder"]?.body?.example,
  User: operations["createUser"]?.body?.example,
};

/** The Swagger 2.0 document of `/v2`. */
export function swagger(): Json {
  const document = {
    swagger: "2.0",
    ...about(INTRODUCTION.petstore2),
    host: "{host}",
    schemes: ["{scheme}"],
    basePath: "{path}/v2",
    consumes: ["application/json"],
    produces: ["application/json"],
    paths: pathsOf(petstore2.paths, operations, swaggerOperation),
    securityDefinitions: {
      petstore_auth: { ...petstoreAuth, flow: "implicit", ...oauth("/v2") },
      ...KEY_SCHEMES,
    },
    definitions: mapValues(types, (model, name) => ({ ...model, example: EXAMPLES[name] })),
  };
  return changed(document, ({ $ref, ...node }) =>
    $ref === undefined ? node : { $ref: $ref.replace("#/components/schemas/", "#/definitions/") },
  );
}

const operations3 = mapValues(operations, ({ petstore3: differences, ...ours }) => ({
  ...ours,
  ...differences,
  success: { ...ours.success, ...differences?.success },
}));

const withExample = (content: Record<string, Json> | undefined, example: unknown) =>
  content && mapValues(content, (body) => ({ ...body, example }));

function operation3({ parameters, requestBody, responses }: Stated, ours: Operation): Json {
  const { 200: found, ...refusals } = responses;
  const errors = mapValues(refusals, ({ description = "" }) => description);
  return {
    parameters: parameters.map((parameter) => {
      const { description, schema, example } = described(ours, parameter.name);
      // Ours has limits; a list of ours may be a single value.
      const isSame = schema?.type === parameter.schema?.type;
      const shown = isSame ? { schema, example } : { example: [example].flat()[0] };
      return { ...parameter, description, ...shown };
    }),
    requestBody: requestBody && { ...requestBody, content: withExample(requestBody.content, ours.body?.example) },
    responses: responsesOf({ ...ours, errors }, withExample(found?.content, ours.success.example)),
  };
}

/** The OpenAPI 3.0 document of `/api/v3`, which is the version of Petstore's. */
export function openApi3(): Json {
  const paths = pathsOf(petstore3.paths, operations3, operation3);
  const document = {
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
  };
  // OpenAPI 3.0 has no `const`.
  return changed(document, ({ $ref, const: only, ...node }) => {
    if ($ref !== undefined) return { $ref };
    return only === undefined ? node : { ...node, enum: [only] };
  });
}
