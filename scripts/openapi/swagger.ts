import { BASE_PATH } from "../../src/http/base-path.ts";
import type { Deployment } from "./document.ts";
import { unwrapped } from "./introduction.ts";
import { mapValues } from "./json.ts";
import type {
  Content,
  Document,
  Headers,
  Json,
  Node,
  OperationObject,
  Parameter,
  ResponseObject,
} from "./json.ts";
import {
  API_KEY,
  IMPLICIT_FLOW,
  INT32,
  INVENTORY,
  parametersOf,
  securityOf,
  securitySchemes,
} from "./petstore.ts";
import { modelOf } from "./schemas.ts";

// Swagger 2.0 is for clients of Swagger Petstore: a generator makes the same methods, parameters, results and models
// from this document as from Petstore's, which test/openapi-classic.test.ts compares. Descriptions state what
// openapi.json says beyond that.

/** The models of Petstore. Each serves requests and answers. */
const MODELS = ["Category", "Tag", "Pet", "Order", "User", "ApiResponse"];
const ERRORS = ["ErrorBody", "FieldError"];
const DEFINITIONS = [...MODELS, ...ERRORS];

/** The schemas of members that accept several types, which Swagger 2.0 cannot express. */
const MEMBERS: Readonly<Record<string, Json>> = {
  "Pet.photoUrls": {
    type: "array",
    items: { type: "string" },
    description:
      "URLs of pictures. In JSON it may also be one string, with one URL or several separated by commas. Swagger 2.0 cannot express that. If another client sent a string, you get a string.",
  },
  "Pet.tags": {
    type: "array",
    items: { $ref: "#/definitions/Tag" },
    description:
      "Words to find the pet by. In JSON a tag may also be a plain string, its name. Swagger 2.0 cannot express that. If another client sent a string, you get a string.",
  },
  "Pet.category": { $ref: "#/definitions/Category" },
  "Order.shipDate": {
    type: "string",
    format: "date-time",
    description:
      "When the order ships. The zone may be missing, or have no colon. Comes back as you sent it.",
  },
};

/** Operations whose answers have no schema in Petstore's document, so that their methods return nothing. */
const SHOWN_BY_EXAMPLE = new Set(
  `addPet updatePet updatePetWithForm deletePet deleteOrder createUser createUsersWithArrayInput
   createUsersWithListInput logoutUser updateUser deleteUser`.split(/\s+/),
);

/** Answers whose schema differs in Petstore's document. */
const ANSWERS: Readonly<Record<string, Json>> = {
  loginUser: {
    type: "string",
    description: "An `ApiResponse` as text: its `message` has the token.",
  },
  getInventory: INVENTORY,
  getPetImage: { type: "file" },
};

const NOTES = {
  classic: `

## Clients of Swagger Petstore

This document is for clients that were generated from the document of Swagger Petstore 2.0: methods, parameters, results and
models are the same. Some answers have a body that Petstore's document does not show. The example shows it. openapi.json has
\`limit\` and \`after\`, which page through long lists, and everything else that Swagger 2.0 or Petstore's clients cannot express.`,
  open: "The operations name the credentials that Petstore's clients send. None is needed here.",
  protected:
    "`petstore_auth` is the token that `GET /user/login` gives, sent as `Authorization: Bearer <token>`.",
};

const nameOf = ($ref: string) => $ref.split("/").at(-1) ?? "";

/** Translates our OpenAPI 3.1 document into Swagger 2.0. */
export function swaggerDocument(openApi: Document, access: Deployment["access"]): Json {
  const { info, tags, paths, components } = openApi;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const examples = examplesOf(operations);
  const classic = new Classic(components);
  return {
    swagger: "2.0",
    info: {
      ...info,
      description: `${info.description}${unwrapped(NOTES.classic)} ${NOTES[access]}`,
    },
    host: "{host}",
    schemes: ["{scheme}"],
    basePath: BASE_PATH,
    consumes: ["application/json"],
    produces: ["application/json"],
    // Otherwise Redocly would require `security` in every operation.
    security: [],
    tags,
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (stated) => classic.operation(stated, access)),
    ),
    securityDefinitions: securitySchemes(access, { flow: "implicit", ...IMPLICIT_FLOW }),
    definitions: Object.fromEntries(
      DEFINITIONS.map((name) => [name, classic.model(name, examples.get(name))]),
    ),
  };
}

const countOf = (members: unknown) => Object.keys(members ?? {}).length;

/** For each model, the example with the most members, which dredd and other tools send. */
function examplesOf(operations: readonly OperationObject[]): ReadonlyMap<string, Json> {
  const examples = new Map<string, Json>();
  for (const { requestBody } of operations) {
    const { schema, example } = requestBody?.content["application/json"] ?? {};
    const model = modelOf(nameOf(schema?.$ref ?? ""));
    if (!MODELS.includes(model) || countOf(example) < countOf(examples.get(model))) continue;
    examples.set(model, example as Json);
  }
  return examples;
}

/** Translates the parts of one document. */
class Classic {
  readonly #components: Document["components"];

  constructor(components: Document["components"]) {
    this.#components = components;
  }

  operation(stated: OperationObject, access: Deployment["access"]): Json {
    const { operationId, tags, summary, description, requestBody, responses } = stated;
    const mediaTypes = Object.values(responses).flatMap((response) =>
      Object.keys(response.content ?? {}),
    );
    const [content] = Object.entries(requestBody?.content ?? {});
    const security = securityOf(stated, access);
    return {
      tags,
      summary,
      description,
      operationId,
      ...(content && { consumes: [content[0]] }),
      produces: [...new Set(mediaTypes)],
      parameters: [
        ...(operationId === "deletePet" ? [{ ...API_KEY, type: "string" }] : []),
        ...parametersOf(stated).map((parameter) => this.#parameter(operationId, parameter)),
        ...(content ? this.#contentParameters(...content) : []),
      ],
      responses: mapValues(responses, (response, status) =>
        this.#response(response, status === "200" ? operationId : undefined),
      ),
      ...(security && { security }),
    };
  }

  /** A model of Petstore: the type of each member, and the members that requests require. */
  model(name: string, example?: Json): Json {
    const { schemas } = this.#components;
    const { description, properties = {}, required = [] } = schemas[name] ?? {};
    // Requests may have members that answers do not show.
    const members = { ...properties, ...schemas[`New${name}`]?.properties, ...properties };
    const demanded = ERRORS.includes(name) ? required : (schemas[`New${name}`]?.required ?? []);
    return {
      type: "object",
      description,
      ...(example && { example }),
      ...(demanded.length > 0 && { required: demanded }),
      properties: mapValues(members, (schema, member) => this.#member(`${name}.${member}`, schema)),
    };
  }

  #parameter(
    operationId: string,
    { name, in: where, required, description, schema, example }: Parameter,
  ): Json {
    return {
      name,
      in: where,
      description,
      required,
      ...this.#typeOf(schema),
      ...(operationId === "getOrderById" && {
        minimum: schema["minimum"],
        maximum: schema["maximum"],
      }),
      ...(operationId === "deleteOrder" && { minimum: schema["minimum"] }),
      ...(schema.type === "array" && { collectionFormat: "multi" }),
      "x-example": example,
    };
  }

  #contentParameters(mediaType: string, { schema, example }: Content[string]): Json[] {
    const stated = this.#components.schemas[nameOf(schema.$ref ?? "")] ?? {};
    if (mediaType === "application/json") {
      const { description } = stated;
      const body = this.#typeOf(schema);
      // A list has no model, which would have the example.
      const shown = body["type"] === "array" ? { ...body, example } : body;
      return [{ name: "body", in: "body", description, required: true, schema: shown }];
    }
    // As in Petstore, no field is required, and none is an enum.
    return Object.entries(stated.properties ?? {}).map(([name, { description, format }]) => ({
      name,
      in: "formData",
      description,
      required: false,
      type: format === "binary" ? "file" : "string",
      ...(example !== undefined && { "x-example": (example as Json)[name] }),
    }));
  }

  /** @param operationId only for a success */
  #response({ description, headers = {}, content }: ResponseObject, operationId = ""): Json {
    const json = content?.["application/json"];
    const schema = ANSWERS[operationId] ?? (json && this.#typeOf(json.schema));
    // The schema of a login is text, so its example is text too.
    const example = operationId === "loginUser" ? JSON.stringify(json?.example) : json?.example;
    return {
      description,
      headers: mapValues(headers, (node: Headers[string] | { readonly $ref: string }) => {
        const header = "$ref" in node ? this.#components.headers[nameOf(node.$ref)] : node;
        return { description: header?.description, ...header?.schema };
      }),
      ...(content && !SHOWN_BY_EXAMPLE.has(operationId) && { schema }),
      ...(json && { examples: { "application/json": example } }),
    };
  }

  #member(where: string, schema: Node): Json {
    const stated = MEMBERS[where];
    if (stated) return stated;
    return {
      ...this.#typeOf(schema),
      ...(INT32.has(where) && { format: "int32" }),
      ...(schema.description !== undefined && { description: schema.description }),
    };
  }

  /** The type alone, without limits, `null` and constants. */
  #typeOf({ $ref, type, format, enum: values, items, anyOf }: Node): Json {
    if (anyOf) return this.#typeOf(anyOf[0] ?? {});
    if ($ref !== undefined) {
      const name = nameOf($ref);
      const model = modelOf(name);
      const named = this.#components.schemas[name] ?? {};
      return DEFINITIONS.includes(model) ? { $ref: `#/definitions/${model}` } : this.#typeOf(named);
    }
    return {
      type: Array.isArray(type) ? type[0] : type,
      ...(format !== undefined && { format }),
      ...(values && { enum: values }),
      ...(items && { items: this.#typeOf(items) }),
    };
  }
}
