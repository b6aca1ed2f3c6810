import * as v from "valibot";
import { Integer } from "../../src/http/schemas.ts";
import * as pet from "../../src/pet/pet.ts";
import { petstore3Routes } from "../../src/routes.ts";
import * as order from "../../src/store/order.ts";
import * as user from "../../src/user/user.ts";
import { openApiDocument } from "./document.ts";
import type { Deployment } from "./document.ts";
import { unwrapped } from "./introduction.ts";
import { mapValues } from "./json.ts";
import type { Json, Node, OperationObject, Parameter } from "./json.ts";
import {
  API_KEY,
  IMPLICIT_FLOW,
  INT32,
  INVENTORY,
  PETSTORE_AUTH,
  parametersOf,
  securityOf,
  securitySchemes,
} from "./petstore.ts";
import { Components } from "./schemas.ts";

// Generators make the same client from this document as from that of Petstore 3; test/openapi-petstore3.test.ts
// compares the two. It is OpenAPI 3.0.4, as that is, because gateways and converters refuse 3.1.

/** The schemas of Petstore 3. Each serves requests and answers. */
const MODELS = {
  Pet: pet.NewListedPet,
  Category: pet.Category,
  Tag: pet.Tag,
  Order: order.NewOrder,
  User: user.NewUser,
  ApiResponse: v.object({
    code: v.optional(Integer),
    type: v.optional(v.string()),
    message: v.optional(v.string()),
  }),
};

/** Where a member differs from its contract. */
const MEMBERS: Readonly<Record<string, Json>> = {
  "Order.shipDate": { format: "date-time", pattern: undefined },
};

/** Generated code would have a larger limit as a literal that does not fit 32 bits. */
const IN_32_BITS = { format: "int32", maximum: undefined };
const LEAST_INT32 = -(2 ** 31);

/**
 * The operations whose body is required in Petstore's document. Generators put required arguments first, so any
 * other would change their order.
 */
const NEEDS_BODY = new Set(["addPet", "updatePet"]);

const NOTE = `

## Clients of Petstore 3

This document is for clients of Swagger Petstore 3: methods, parameters, results and models are the same. It leaves out
that a member may be \`null\`, that lists take \`limit\` and \`after\`, that an upload may have almost any media type, and that
tags, a username, a password and every body are needed: without them, the answer is the error that is stated.`;

/** The OpenAPI 3.0 document of Petstore 3. All paths begin with `BASE_PATH`. */
export function petstore3Document({ access, isOwn }: Deployment): Json {
  const openApi = openApiDocument({ access, isOwn }, petstore3Routes, new Components(MODELS));
  const { info, paths, components } = openApi;
  // It serves no images, and states no status that has `Allow`.
  const headers = Object.entries(components.headers).filter(([name]) =>
    JSON.stringify(paths).includes(`/headers/${name}"`),
  );
  return inOpenApi30({
    ...openApi,
    openapi: "3.0.4",
    info: { ...info, description: info.description + unwrapped(NOTE) },
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (stated) => operationOf(stated, access)),
    ),
    components: {
      headers: Object.fromEntries(headers),
      schemas: mapValues(components.schemas, ({ properties, ...schema }, name) => ({
        ...schema,
        ...(properties && {
          properties: mapValues(properties, (member, key) => memberOf(`${name}.${key}`, member)),
        }),
      })),
      securitySchemes: securitySchemes(access, { flows: { implicit: IMPLICIT_FLOW } }),
    },
  }) as Json;
}

function memberOf(where: string, schema: Node): Json {
  if (!INT32.has(where)) return { ...schema, ...MEMBERS[where] };
  const isTooLow = Number(schema["minimum"]) < LEAST_INT32;
  return { ...schema, ...IN_32_BITS, ...(isTooLow && { minimum: undefined }) };
}

function operationOf(stated: OperationObject, access: Deployment["access"]): Json {
  const { operationId, requestBody, responses } = stated;
  const security = securityOf(stated, access);
  const isSingle = operationId === "getPetById" && access === "open";
  const { 200: success, ...others } = responses;
  const content = success?.content?.["application/json"];
  return {
    ...stated,
    security: isSingle ? [...(security ?? []), PETSTORE_AUTH] : security,
    parameters: [
      ...(operationId === "deletePet" ? [{ ...API_KEY, schema: { type: "string" } }] : []),
      ...parametersOf(stated).map((parameter) => parameterOf(operationId, parameter)),
    ],
    requestBody: requestBody && { ...requestBody, required: NEEDS_BODY.has(operationId) },
    responses: {
      200:
        operationId === "getInventory"
          ? { ...success, content: { "application/json": { ...content, schema: INVENTORY } } }
          : success,
      ...others,
    },
  };
}

function parameterOf(operationId: string, parameter: Parameter): Json {
  const { schema, example } = parameter;
  const stated = { ...parameter, required: parameter["in"] === "path" };
  if (operationId === "updatePetWithForm" && parameter.name === "status") {
    return { ...stated, schema: { type: "string" } };
  }
  if (operationId === "findPetsByStatus") {
    const { type, enum: values } = schema.items ?? {};
    const one = { type, default: "available", enum: values };
    return { ...stated, explode: true, schema: one, example: (example as unknown[])[0] };
  }
  return schema.type === "array" ? { ...stated, explode: true } : stated;
}

/** Translates OpenAPI 3.1 into OpenAPI 3.0. */
function inOpenApi30(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inOpenApi30);
  if (typeof node !== "object" || node === null) return node;
  // OpenAPI 3.0 ignores everything beside a reference.
  if ("$ref" in node) return { $ref: node.$ref };
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === "const" ? ["enum", [value]] : [key, inOpenApi30(value)],
    ),
  );
}
