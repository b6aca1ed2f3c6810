import { GENERAL_ERRORS, MAX_ERRORS } from "../../src/http/errors.ts";
import type { Operation } from "../../src/http/operation.ts";
import { ApiResponse } from "../../src/http/schemas.ts";
import type { Schema } from "../../src/http/operation.ts";
import { ImageForm, NewPet, Pet, PetForm } from "../../src/pet/contract.ts";
import { routes } from "../../src/routes.ts";
import type { Route } from "../../src/routes.ts";
import { Inventory, NewOrder, Order } from "../../src/store/contract.ts";
import { NewUser, NewUsers, User } from "../../src/user/contract.ts";
import { parameterSchemaOf, schemaOf } from "./schemas.ts";
import type { Json } from "./schemas.ts";

/** Schemas by the name that the documents give them, and by how they are used. */
const REQUESTS = new Map<Schema, string>([
  [NewPet, "NewPet"],
  [Pet, "ReplacedPet"],
  [NewOrder, "NewOrder"],
  [NewUser, "NewUser"],
  [NewUsers, "NewUsers"],
  [PetForm, "PetForm"],
  [ImageForm, "ImageForm"],
]);
const RESPONSES = new Map<Schema, string>([
  [Pet, "Pet"],
  [Order, "Order"],
  [Inventory, "Inventory"],
  [User, "User"],
  [ApiResponse, "ApiResponse"],
]);

const TAGS = [
  { name: "pet", description: "The pets in the store." },
  { name: "store", description: "Orders, and what is in stock." },
  { name: "user", description: "Accounts, and logging in and out." },
];

const DESCRIPTION = `The pet store over HTTP. In the mode shown here no operation demands a
credential; those that are sent anyway are ignored, except by logout.

Bodies are JSON. Errors have one shape, whatever their status, and name the fields at fault.
Creating is safe to repeat: the same content under the same id or username is answered like the first
time, other content is refused. Pets, orders and users carry a strong \`ETag\`; \`If-Match\` keeps two
editors from losing an update.`.replaceAll(/(?<!\n)\n(?!\n)/g, " ");

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The OpenAPI 3.1 document of the service. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operationObject(route);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Pet Store Service",
      version: "1.0.0",
      description: DESCRIPTION,
      contact: { name: "Whoever runs this server" },
    },
    servers: [{ url: "/v2", description: "This server" }],
    tags: TAGS,
    // The first, empty requirement: none is demanded.
    security: [{}, { session: [] }, { bearer: [] }, { api_key: [] }],
    paths,
    components: {
      schemas: {
        ...Object.fromEntries(
          [...RESPONSES].map(([schema, name]) => [name, schemaOf(schema, "response")]),
        ),
        ...Object.fromEntries(
          [...REQUESTS].map(([schema, name]) => [name, schemaOf(schema, "request", REQUESTS)]),
        ),
        Error: ERROR_SCHEMA,
      },
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: "session",
          description: "Set by `GET /user/login`.",
        },
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The token that `GET /user/login` gives.",
        },
        api_key: { type: "apiKey", in: "header", name: "api_key" },
      },
    },
  };
}

const ERROR_SCHEMA = {
  type: "object",
  required: ["code", "type", "message"],
  properties: {
    code: { type: "integer", format: "int32", description: "The HTTP status." },
    type: { type: "string", const: "error" },
    message: { type: "string" },
    errors: {
      type: "array",
      description: "Only where fields were at fault.",
      minItems: 1,
      maxItems: MAX_ERRORS,
      items: {
        type: "object",
        required: ["path", "message"],
        properties: {
          path: { type: "string", description: "The field, such as `tags.0.id`." },
          message: { type: "string", description: "What it must be." },
        },
      },
    },
  },
};

const HEADERS = {
  ETag: {
    description: "Strong validator of the resource.",
    required: true,
    schema: { type: "string" },
    example: '"120631481828916"',
  },
  "Content-Location": {
    description: "The path of the resource that the body shows.",
    required: true,
    schema: { type: "string" },
    example: "/v2/pet/1",
  },
  Accept: {
    description: "The media types that the operation takes, where another was sent.",
    schema: { type: "string" },
    example: "application/json",
  },
  "Accept-Encoding": {
    description: "The only content coding that is taken, where another was sent.",
    schema: { type: "string" },
    example: "identity",
  },
  Allow: {
    description: "Methods of the path.",
    required: true,
    schema: { type: "string" },
    example: "POST, PUT, OPTIONS",
  },
  "Retry-After": {
    description: "Seconds to wait before trying again.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 60,
  },
  "WWW-Authenticate": {
    description:
      'How to present a credential; with `error="invalid_token"` where the token that was presented is not good (RFC 6750).',
    required: true,
    schema: { type: "string" },
    example: 'Bearer realm="pet store"',
  },
  "Accept-Ranges": {
    description: "`Range` may ask for some of the bytes.",
    required: true,
    schema: { type: "string" },
    example: "bytes",
  },
  "x-d1-bookmark": {
    description:
      "Sent back in the header of a later request, it lets any replica answer that has seen what this answer shows.",
    schema: { type: "string" },
    example: "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683",
  },
  "X-Request-Id": {
    description: "Names the request in the service's log.",
    required: true,
    schema: { type: "string" },
    example: "f92a081d-698e-4488-8bd9-7caa46ff6e58",
  },
};

const PARAMETERS = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes the request safe to repeat: for 24 hours one with the same key and content gets the first answer, and nothing is done twice.",
    // Without an example: a page would send it with every request.
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "While the resource has none of these entity tags, the answer is 412.",
    schema: { type: "string" },
  },
  Range: {
    name: "Range",
    in: "header",
    description: "One range of bytes.",
    schema: { type: "string" },
    example: "bytes=0-99",
  },
  Bookmark: {
    name: "x-d1-bookmark",
    in: "header",
    description:
      "The `x-d1-bookmark` of an earlier answer. Without one, the answer comes from the primary database.",
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "While the resource has one of these entity tags, a read is answered 304, and a write 412.",
    schema: { type: "string" },
  },
};

const MEDIA_TYPES = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
} as const;

const CONTENT_RANGE = {
  description: "Which bytes these are, and of how many.",
  required: true,
  schema: { type: "string" },
  example: "bytes 0-99/628",
};
const UNSATISFIED_RANGE = {
  ...CONTENT_RANGE,
  description: "How many bytes there are.",
  example: "bytes */628",
};

const REQUEST_ID = { "X-Request-Id": ref("headers", "X-Request-Id") };

function operationObject({ method, path, endpoint: { operation } }: Route): Json {
  const { id, summary, description, body } = operation;
  const parameters = parametersOf(method, operation);
  return {
    operationId: id,
    tags: [path.split("/")[1]],
    summary,
    description: description ?? `${summary}.`,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.format !== "form",
        content: {
          [MEDIA_TYPES[body.format ?? "json"]]: {
            schema: ref("schemas", REQUESTS.get(body.schema) ?? ""),
            example: body.example,
          },
        },
      },
    }),
    responses: responsesOf(method, operation),
  };
}

function entriesOf(schema: Schema | undefined): [string, Schema][] {
  return Object.entries(
    (schema as { entries?: Record<string, Schema> } | undefined)?.entries ?? {},
  );
}

function parametersOf(method: string, operation: Operation): Json[] {
  const { params, query, examples = {}, binary, errors } = operation;
  return [
    ...entriesOf(params).map(([name, schema]) => ({
      name,
      in: "path",
      required: true,
      schema: parameterSchemaOf(schema),
      example: examples[name],
    })),
    ...entriesOf(query).map(([name, schema]) => {
      const parameter = parameterSchemaOf(schema);
      const required = (schema as { type?: string }).type !== "optional";
      const stated = { name, in: "query", required, example: examples[name] };
      return parameter["type"] === "array"
        ? { ...stated, style: "form", explode: false, schema: { ...parameter, minItems: 1 } }
        : { ...stated, schema: parameter };
    }),
    ...(operation.apiKey
      ? [
          {
            name: "api_key",
            in: "header",
            required: false,
            description: "API key for authorization.",
            schema: { type: "string" },
          },
        ]
      : []),
    ...(method === "POST" ? [ref("parameters", "IdempotencyKey")] : []),
    ...(412 in errors ? [ref("parameters", "IfMatch")] : []),
    ...(412 in errors || binary ? [ref("parameters", "IfNoneMatch")] : []),
    ref("parameters", binary ? "Range" : "Bookmark"),
  ];
}

function responsesOf(method: string, operation: Operation): Json {
  const {
    access,
    success,
    result,
    etag,
    showsItem,
    headers = {},
    optionalHeaders = {},
    errors,
    body,
    binary,
  } = operation;
  const name = RESPONSES.get(success);
  const item = (success as { item?: Schema }).item;
  const schema = name
    ? ref("schemas", name)
    : { type: "array", items: ref("schemas", (item && RESPONSES.get(item)) ?? "") };
  const content = binary
    ? Object.fromEntries(binary.map((type) => [type, {}]))
    : { "application/json": { schema, example: result } };
  const ETag = (etag || binary) && { ETag: ref("headers", "ETag") };
  const ranges = binary && { "Accept-Ranges": ref("headers", "Accept-Ranges") };
  return {
    200: {
      description: "Success",
      headers: {
        ...ETag,
        ...(showsItem && { "Content-Location": ref("headers", "Content-Location") }),
        ...ranges,
        ...alwaysThere(headers),
        ...optionalHeaders,
        ...(!binary && { "x-d1-bookmark": ref("headers", "x-d1-bookmark") }),
        ...REQUEST_ID,
      },
      content,
    },
    ...(binary && {
      206: {
        description: "Part of the content",
        headers: { ...ETag, ...ranges, "Content-Range": CONTENT_RANGE, ...REQUEST_ID },
        content,
      },
    }),
    ...((etag || binary) && method === "GET"
      ? { 304: { description: "Not modified", headers: { ...ETag, ...REQUEST_ID } } }
      : {}),
    ...Object.fromEntries(
      Object.entries({
        ...(body && { 413: GENERAL_ERRORS[413], 415: GENERAL_ERRORS[415] }),
        ...(method === "POST" && { 400: GENERAL_ERRORS[400], 422: GENERAL_ERRORS[422] }),
        ...(access !== "anyone" && { 401: GENERAL_ERRORS[401] }),
        429: GENERAL_ERRORS[429],
        503: GENERAL_ERRORS[503],
        ...errors,
      }).map(([status, message]) => [status, errorResponse(Number(status), message)]),
    ),
  };
}

function alwaysThere(headers: NonNullable<Operation["headers"]>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name, { ...header, required: true }]),
  );
}

function errorResponse(status: number, message: string): Json {
  return {
    description: message,
    headers: {
      ...(status === 401 && { "WWW-Authenticate": ref("headers", "WWW-Authenticate") }),
      ...(status === 405 && { Allow: ref("headers", "Allow") }),
      ...(status === 415 && {
        Accept: ref("headers", "Accept"),
        "Accept-Encoding": ref("headers", "Accept-Encoding"),
      }),
      ...(status === 416 && { "Content-Range": UNSATISFIED_RANGE }),
      ...((status === 429 || status === 503) && { "Retry-After": ref("headers", "Retry-After") }),
      ...REQUEST_ID,
    },
    content: {
      "application/json": {
        schema: ref("schemas", "Error"),
        example: { code: status, type: "error", message },
      },
    },
  };
}
