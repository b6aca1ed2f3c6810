// The parts of an OpenAPI or Swagger document that tests read, in workerd and in Node.

export type Json = Readonly<Record<string, unknown>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  /** False: commas separate the items of a list. */
  readonly explode?: boolean;
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly "x-example"?: unknown;
  /** Of a body in Swagger 2.0. */
  readonly schema?: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: { readonly example: { readonly value: unknown } };
}

interface OwnOperation {
  readonly operationId: string;
  /** The media types of the body, in Swagger 2.0. */
  readonly consumes?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
}

export interface Operation extends OwnOperation {
  readonly method: string;
  /** The template: `/pet/{petId}`. */
  readonly path: string;
}

export interface Document {
  readonly openapi?: string;
  readonly servers?: unknown;
  /** In Swagger 2.0. */
  readonly host?: unknown;
  readonly basePath?: unknown;
  readonly schemes?: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OwnOperation>>>>;
  readonly components?: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** The path of each document, and the base path of its API. */
export const DOCUMENTS = [
  ["/v2/openapi.json", "/v2"],
  ["/v2/swagger.json", "/v2"],
  ["/api/v3/openapi.json", "/api/v3"],
] as const;

/** Returns the operations in the order of the document. */
export const listOperations = ({ paths }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );

/** Returns the schemas that the document names. */
export const namedSchemas = ({ components, definitions }: Document) => components?.schemas ?? definitions ?? {};

/** Follows a reference. */
export const resolve = (document: Document, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (namedSchemas(document)[schema.$ref.replace(/^.*\//, "")] ?? {});

/** Returns the schema of a JSON body, and its example for tools that read neither models nor properties. */
export function findJsonBody({
  parameters = [],
  requestBody,
}: Operation): { schema: Schema; example: unknown } | undefined {
  const schema = parameters.find((each) => each.in === "body")?.schema;
  if (schema) return { schema, example: schema.example };
  const media = requestBody?.content["application/json"];
  return media && { schema: media.schema, example: media.examples?.example.value };
}
