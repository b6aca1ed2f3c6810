import { BASE_PATH } from "../../src/http/base-path.ts";
import { GENERAL_ERRORS, MAX_ERRORS } from "../../src/http/errors.ts";
import type { DeclaredError } from "../../src/http/errors.ts";
import { errorsOfInputs } from "../../src/http/operation.ts";
import type { Operation, Schema, StatedBody } from "../../src/http/operation.ts";
import { routes, templateOf } from "../../src/routes.ts";
import type { Route } from "../../src/routes.ts";
import { describeComponent, describeOperation, parameterDescription } from "./descriptions.ts";
import { bodyExample, parameterExample, successExample, successHeaders } from "./examples.ts";
import { introduction } from "./introduction.ts";
import type { Document, Json } from "./json.ts";
import { linksOf } from "./links.ts";
import { Components } from "./schemas.ts";

/** The deployment that the documents describe. */
export interface Deployment {
  /** The setting `ACCESS`. */
  readonly access: "open" | "protected";
  /** Whether it is a sandbox, which may be full and has no replicas. */
  readonly isOwn: boolean;
}

const TAGS = [
  { name: "pet", description: "The pets in the store." },
  { name: "store", description: "Orders, and what is in stock." },
  { name: "user", description: "Accounts, login and logout." },
];

const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "The token that `GET /user/login` gives.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "session",
    description: "The same token, set by `GET /user/login`.",
  },
  api_key: {
    type: "apiKey",
    in: "header",
    name: "api_key",
    description: "The key of this deployment, if it has one.",
  },
};

const SESSION = [{ bearer: [] }, { session: [] }];

/** The service answers these statuses before it calls D1, except in these operations. */
const FROM_INPUT: Readonly<Record<number, readonly string[]>> = {
  400: ["placeOrder", "loginUser", "uploadFile", "updatePetWithForm"],
  405: ["addPet", "updatePetWithForm"],
  413: [],
  415: [],
  429: ["createUser", "createUsersWithArrayInput", "createUsersWithListInput"],
};

/** Only a valid request of `findPetsByTags` may have such a URL. */
const URL_TOO_LONG =
  "URI too long. The platform refuses a URL of 64 KiB before the service sees it, and its answer is not JSON.";

const STORE_IS_FULL: DeclaredError = [507, "The store is full"];

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const headerRefs = (...names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/**
 * The OpenAPI 3.1 document of an interface. All paths begin with `BASE_PATH`.
 * @param table the operations of the interface
 * @param components how its schemas become components
 */
export function openApiDocument(
  deployment: Deployment,
  table: readonly Route[] = routes,
  components = new Components(),
): Document {
  const { access, isOwn } = deployment;
  const isPetstore3 = table !== routes;
  const namesOf = (id: string) => (isPetstore3 ? [`petstore3.${id}`, id] : [id]);
  const writer = new OperationWriter(deployment, components, namesOf);
  const stated: Record<string, Json> = {};
  for (const route of inOrder(table)) {
    (stated[templateOf(route.path)] ??= {})[route.method.toLowerCase()] = writer.write(route);
  }
  const { document: paths, schemas } = components.named(stated);
  const document: Json = {
    // Tools refuse 3.1.1, such as @apidevtools/swagger-parser 10.
    openapi: "3.1.0",
    info: {
      title: "Pet Store Service",
      version: "1.0.0",
      description: introduction(access, isOwn, isPetstore3),
      contact: { name: "The operator of this server" },
    },
    servers: [{ url: `{origin}${BASE_PATH}` }],
    tags: TAGS,
    security: [],
    paths,
    components: {
      schemas: {
        ...schemas,
        ErrorBody: describeComponent("ErrorBody", ERROR_BODY),
        FieldError: describeComponent("FieldError", FIELD_ERROR),
      },
      headers: {
        ...HEADERS,
        ...(!isOwn && OF_REPLICAS),
        ...(access === "protected" && OF_PROTECTED),
      },
      ...(access === "protected" && { securitySchemes: SECURITY_SCHEMES }),
    },
  };
  // The writer builds the parts as any JSON.
  return document as Document;
}

/** Paths below a resource come before it, so a client that sends the operations in order deletes the resource last. */
function inOrder(all: readonly Route[]): readonly Route[] {
  const resources = [...new Set(all.map(({ path }) => path))].filter((path) => /:\w+$/.test(path));
  const above = ({ path }: Route) => resources.find((resource) => path.startsWith(`${resource}/`));
  return all.flatMap((route, at) => {
    if (above(route)) return [];
    const isFirst = all.findIndex(({ path }) => path === route.path) === at;
    return [...(isFirst ? all.filter((other) => above(other) === route.path) : []), route];
  });
}

const ERROR_BODY = {
  type: "object",
  required: ["code", "type", "message"],
  properties: {
    code: { type: "integer", format: "int32" },
    type: { type: "string", const: "error" },
    message: { type: "string" },
    errors: {
      type: "array",
      minItems: 1,
      maxItems: MAX_ERRORS,
      items: schemaRef("FieldError"),
    },
  },
};
const FIELD_ERROR = {
  type: "object",
  required: ["path", "message"],
  properties: { path: { type: "string" }, message: { type: "string" } },
};

/** A header that is always sent. */
const header = (
  description: string,
  example: string | number,
  type: Json = { type: "string" },
) => ({
  description,
  required: true,
  schema: type,
  example,
});

/** A header that is not always sent. */
function optional(...stated: Parameters<typeof header>): Json {
  const { required: _, ...rest } = header(...stated);
  return rest;
}

const HEADERS = {
  ETag: header("The version of the resource: a strong validator.", '"120631481828916"'),
  "Content-Location": header("The path of the resource that the body shows.", "/v2/pet/1"),
  Accept: optional(
    "The media types that the operation accepts, if you sent another one.",
    "application/json",
  ),
  "Accept-Encoding": optional(
    "The only content coding that the service accepts, if you sent another one.",
    "identity",
  ),
  Allow: header("Methods of the path.", "POST, PUT, OPTIONS"),
  "Retry-After": header("Seconds to wait before trying again.", 60, {
    type: "integer",
    minimum: 1,
  }),
  "Accept-Ranges": header("You may ask for some of the bytes with `Range`.", "bytes"),
  "X-Request-Id": header(
    "Identifies the request in the service's log.",
    "f92a081d-698e-4488-8bd9-7caa46ff6e58",
  ),
};

/** Headers of a database that has replicas. */
const OF_REPLICAS = {
  "x-d1-bookmark": optional(
    "If you send it with a later request, a replica may answer that is at least as new as this answer.",
    "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683",
  ),
};

/** Headers that only a protected deployment sends. */
const OF_PROTECTED = {
  "WWW-Authenticate": header(
    'How to send a credential. With `error="invalid_token"` if the token that you sent is not valid (RFC 6750).',
    'Bearer realm="pet store"',
  ),
};

const MULTIPART = "multipart/form-data";
const MEDIA_TYPES = {
  json: ["application/json"],
  form: ["application/x-www-form-urlencoded", MULTIPART],
  multipart: [MULTIPART],
  binary: ["application/octet-stream"],
} as const;

const BYTES = { type: "string", format: "binary" };

const CONTENT_RANGE = header("Which bytes these are, and how many the file has.", "bytes 0-99/628");
const UNSATISFIED_RANGE = header("How many bytes the file has.", "bytes */628");

/** Writes the operations of one document. */
class OperationWriter {
  readonly #deployment: Deployment;
  readonly #components: Components;
  readonly #namesOf: (id: string) => readonly string[];

  /**
   * @param components where the schemas go
   * @param namesOf the names under which an operation may have facts, the most special first
   */
  constructor(
    deployment: Deployment,
    components: Components,
    namesOf: (id: string) => readonly string[],
  ) {
    this.#deployment = deployment;
    this.#components = components;
    this.#namesOf = namesOf;
  }

  write({ method, path, endpoint: { operation } }: Route): Json {
    const { id, body } = operation;
    const parameters = this.#parametersOf(operation);
    const names = this.#namesOf(id);
    return {
      operationId: id,
      tags: [path.split("/")[1]],
      ...describeOperation(...names),
      ...this.#securityOf(operation),
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: this.#requestBody(body, bodyExample(...names)) }),
      responses: this.#responsesOf(method, operation, names),
    };
  }

  #securityOf(operation: Operation): Json {
    if (this.#isProtected(operation)) return { security: [...SESSION, { api_key: [] }] };
    // Logout ends the session. With open access, the documents state no credentials.
    const isOptional = this.#deployment.access === "protected" && operation.id === "logoutUser";
    return isOptional ? { security: [{}, ...SESSION] } : {};
  }

  #requestBody({ schema, format = "json" }: StatedBody, example: unknown): Json {
    const isBinary = format === "binary";
    const content = {
      schema: isBinary ? BYTES : this.#components.schemaOf(schema, "request"),
      example,
    };
    // No `encoding`: swagger-client, which Swagger UI uses, would send each part that has one as a file.
    return {
      required: format !== "form",
      content: Object.fromEntries(MEDIA_TYPES[format].map((type) => [type, content])),
    };
  }

  #parametersOf({ id, params, query, apiKey }: Operation): Json[] {
    const parameter = (name: string, where: string, required: boolean, schema: Json) => ({
      name,
      in: where,
      required,
      description: parameterDescription(`${id}.${name}`, name),
      ...(schema["type"] === "array" && { style: "form", explode: false }),
      schema: schema["type"] === "array" ? { ...schema, minItems: 1 } : schema,
      example: parameterExample(`${id}.${name}`, name),
    });
    return [
      ...entriesOf(params).map(([name, schema]) =>
        parameter(name, "path", true, this.#components.parameterSchemaOf(schema)),
      ),
      ...entriesOf(query).map(([name, schema]) => {
        const required = (schema as { type?: string }).type !== "optional";
        return parameter(name, "query", required, this.#components.parameterSchemaOf(schema));
      }),
      // The security scheme describes credentials.
      ...(apiKey && this.#deployment.access === "open"
        ? [parameter("api_key", "header", false, { type: "string" })]
        : []),
    ];
  }

  #responsesOf(method: string, operation: Operation, names: readonly string[]): Json {
    const { success, etag, showsItem, binary } = operation;
    const { mediaTypes = MEDIA_TYPES.json } = operation;
    const content = Object.fromEntries(
      mediaTypes.map((type) => [
        type,
        binary
          ? { schema: BYTES }
          : { schema: this.#answerSchemaOf(success), example: successExample(...names) },
      ]),
    );
    const ETag = (etag || binary) && headerRefs("ETag");
    const ranges = binary && headerRefs("Accept-Ranges");
    const special = successHeaders(operation.id, "others");
    const always = (status: number) => ({
      ...(this.#mayHaveBookmark(operation, status) && headerRefs("x-d1-bookmark")),
      ...headerRefs("X-Request-Id"),
    });
    const links = linksOf(operation.id, this.#namesOf);
    const isProtected = this.#isProtected(operation);
    const { unauthenticated, tooMany, defect, unavailable } = GENERAL_ERRORS;
    const errors: DeclaredError[] = [
      ...errorsOfInputs(operation),
      ...(isProtected ? [unauthenticated] : []),
      tooMany,
      defect,
      unavailable,
      ...(this.#deployment.isOwn && method !== "GET" ? [STORE_IS_FULL] : []),
      // The operation's own, so that they win.
      ...Object.values(operation.errors).filter(([status]) => status !== 403 || isProtected),
    ];
    return {
      200: {
        description: "Success",
        headers: {
          ...ETag,
          ...(showsItem && headerRefs("Content-Location")),
          ...ranges,
          ...special,
          ...always(200),
        },
        ...(mediaTypes.length > 0 && { content }),
        ...(links && { links }),
      },
      ...(binary && {
        206: {
          description: "Part of the content",
          headers: {
            ...ETag,
            ...ranges,
            "Content-Range": CONTENT_RANGE,
            ...special,
            ...always(206),
          },
          content,
        },
      }),
      ...((etag || binary) &&
        method === "GET" && {
          304: {
            description: "Not modified",
            headers: {
              ...ETag,
              ...(binary && { "Accept-Ranges": { ...HEADERS["Accept-Ranges"], required: false } }),
              ...always(304),
            },
          },
        }),
      ...Object.fromEntries(
        errors.map(([status, message]) => [status, errorResponse(status, message, always(status))]),
      ),
      ...(operation.id === "findPetsByTags" && { 414: { description: URL_TOO_LONG } }),
    };
  }

  #answerSchemaOf(success: Schema): Json {
    const { type, item } = success as { type?: string; item?: Schema };
    return type === "array" && item
      ? { type: "array", items: this.#components.schemaOf(item, "response") }
      : this.#components.schemaOf(success, "response");
  }

  #isProtected({ access }: Operation): boolean {
    return this.#deployment.access === "protected" && access !== "anyone";
  }

  #mayHaveBookmark(operation: Operation, status: number): boolean {
    if (this.#deployment.isOwn || operation.withoutDatabase) return false;
    // The service looks up the session before everything else.
    if (this.#isProtected(operation)) return true;
    return FROM_INPUT[status]?.includes(operation.id) ?? true;
  }
}

function entriesOf(schema: Schema | undefined): [string, Schema][] {
  return Object.entries(
    (schema as { entries?: Record<string, Schema> } | undefined)?.entries ?? {},
  );
}

const HEADERS_OF: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  415: ["Accept", "Accept-Encoding"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

function errorResponse(status: number, message: string, always: Json): Json {
  return {
    description: message,
    headers: {
      ...headerRefs(...(HEADERS_OF[status] ?? [])),
      ...(status === 416 && { "Content-Range": UNSATISFIED_RANGE }),
      ...always,
    },
    content: {
      "application/json": {
        schema: schemaRef("ErrorBody"),
        example: { code: status, type: "error", message },
      },
    },
  };
}
