import type { Json } from "./schemas.ts";

// Swagger 2.0 knows neither unions nor null: where the interface takes several forms, it shows the one
// that Swagger Petstore's clients send.
const PETSTORE_FORM: Record<string, Json> = {
  photoUrls: { type: "array", items: { type: "string" } },
  tags: {
    type: "array",
    items: {
      type: "object",
      properties: { id: { type: "integer", format: "int64" }, name: { type: "string" } },
    },
  },
};

type Node = Json & {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  additionalProperties?: Node;
};

interface Parameter extends Json {
  readonly name: string;
  readonly in: string;
  readonly schema: Node;
}

interface OperationObject extends Json {
  readonly parameters?: (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Record<string, { schema: Node; example: unknown }> };
  readonly responses: Record<string, ResponseObject>;
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: Record<string, HeaderObject | { readonly $ref: string }>;
  readonly content?: Record<string, { schema: Node; example: unknown }>;
}

interface HeaderObject {
  readonly description: string;
  readonly schema: Json;
}

interface Document extends Json {
  readonly info: Json;
  readonly tags: Json[];
  readonly paths: Record<string, Record<string, OperationObject>>;
  readonly components: {
    readonly schemas: Record<string, Node>;
    readonly headers: Record<string, HeaderObject>;
    readonly parameters: Record<string, Parameter>;
  };
}

function isReference(node: object): node is { readonly $ref: string } {
  return "$ref" in node;
}

function resolve<T extends object>(
  node: T | { readonly $ref: string },
  known: Record<string, T>,
): T {
  return isReference(node) ? (known[node.$ref.split("/").at(-1) ?? ""] as T) : node;
}

/** Renders our own OpenAPI 3.1 document, whose shapes it relies on, as Swagger 2.0. */
export function swaggerDocument(openApi: Json): Json {
  const { info, tags, paths, components } = openApi as Document;
  const { title, version, description, contact } = info;
  const operation = ({ parameters = [], requestBody, responses, ...rest }: OperationObject) => {
    const [content] = Object.entries(requestBody?.content ?? {});
    return {
      ...rest,
      ...(content && { consumes: [content[0]] }),
      produces: Object.keys(responses["200"]?.content ?? {}),
      parameters: [
        ...parameters.map((node) =>
          parameterObject(resolve<Parameter>(node, components.parameters)),
        ),
        ...(content ? bodyParameters(...content, components.schemas) : []),
      ],
      responses: Object.fromEntries(
        Object.entries(responses).map(
          ([status, { description: meaning, headers, content: body }]) => {
            const json = body?.["application/json"];
            return [
              status,
              {
                description: meaning,
                headers: Object.fromEntries(
                  Object.entries(headers ?? {}).map(([name, node]) => {
                    const header = resolve<HeaderObject>(node, components.headers);
                    return [name, { description: header.description, ...header.schema }];
                  }),
                ),
                ...(json && {
                  schema: schemaObject(json.schema),
                  examples: { "application/json": json.example },
                }),
              },
            ];
          },
        ),
      ),
    };
  };

  return {
    swagger: "2.0",
    info: { title, version, description, contact },
    basePath: "/v2",
    consumes: ["application/json"],
    produces: ["application/json"],
    tags,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, stated]) => [method, operation(stated)]),
        ),
      ]),
    ),
    securityDefinitions: { api_key: { type: "apiKey", in: "header", name: "api_key" } },
    definitions: Object.fromEntries(
      // The fields of a form are stated where they are sent.
      Object.entries(components.schemas)
        .filter(([name]) => !name.endsWith("Form"))
        .map(([name, schema]) => [name, schemaObject(schema)]),
    ),
  };
}

function bodyParameters(
  mediaType: string,
  { schema }: { schema: Node },
  schemas: Record<string, Node>,
): Json[] {
  if (mediaType === "application/json") {
    return [{ name: "body", in: "body", required: true, schema: schemaObject(schema) }];
  }
  const { properties = {}, required = [] } = resolve<Node>(schema, schemas);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: "formData",
    required: required.includes(name),
    ...(property["format"] === "binary" ? { type: "file" } : schemaObject(property)),
  }));
}

function parameterObject({ schema, ...stated }: Parameter): Json {
  const rest = Object.entries(stated).filter(
    ([key]) => !["style", "explode", "example"].includes(key),
  );
  return {
    ...Object.fromEntries(rest),
    ...schemaObject(schema),
    ...(schema.type === "array" && { collectionFormat: "csv" }),
  };
}

function schemaObject(schema: Node): Json {
  const { $ref, type, const: only, enum: values, items, properties, ...rest } = schema;
  if ($ref) return { $ref: $ref.replace("#/components/schemas/", "#/definitions/") };
  const { propertyNames: _, additionalProperties, ...keywords } = rest;
  return {
    ...keywords,
    ...(type && { type: Array.isArray(type) ? type[0] : type }),
    ...(values && { enum: values.filter((value) => value !== null) }),
    ...(only !== undefined && { enum: [only] }),
    ...(items && { items: schemaObject(items) }),
    ...(additionalProperties && { additionalProperties: schemaObject(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          PETSTORE_FORM[name] ?? schemaObject(nonNull(property)),
        ]),
      ),
    }),
  };
}

function nonNull(schema: Node): Node {
  const [value, none] = (schema["anyOf"] as Node[] | undefined) ?? [];
  return value && none?.type === "null" ? value : schema;
}
