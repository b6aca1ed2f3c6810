export type Json = Record<string, unknown>;

/** Changes each value of an object. */
export const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));

export type Node = Json & {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
};

export type Content = Readonly<Record<string, { schema: Node; example: unknown }>>;
export type Headers = Record<string, { description: string; schema: Json }>;

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Headers | Record<string, { readonly $ref: string }>;
  readonly content?: Content;
}

export type Parameter = Json & { readonly name: string; readonly schema: Node };

export interface OperationObject {
  readonly operationId: string;
  readonly tags: string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: Json[];
  readonly parameters?: Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<string, ResponseObject>;
}

/** An OpenAPI 3.1 document: the parts that are translated. */
export type Document = Json & {
  readonly info: { readonly description: string };
  readonly tags: Json[];
  readonly paths: Record<string, Record<string, OperationObject>>;
  readonly components: { schemas: Record<string, Node>; headers: Headers };
};
