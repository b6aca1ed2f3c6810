import openApi from "../../../openapi.json";
import { routes } from "../../../src/routes.ts";

/** JSON Schema, as far as the document uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

/** An operation with a body in one of its media types, or with none. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** As the document has it: `/pet/{petId}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly content?: {
    readonly type: string;
    readonly schema: Schema;
    readonly required: boolean;
  };
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { schema: Schema }>>;
  };
}

const paths = openApi.paths as unknown as Record<string, Record<string, OperationObject>>;

/** What a reference means; anything else as it is. */
export function resolved<Stated extends object>(
  stated: Stated | { readonly $ref: string },
): Stated {
  if (!("$ref" in stated) || typeof stated.$ref !== "string") return stated as Stated;
  const found = stated.$ref
    .split("/")
    .slice(1)
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], openApi);
  return found as Stated;
}

/** The headers that an operation takes, which the document describes once, before the operations. */
function headersOf(operationId: string): readonly Parameter[] {
  const route = routes.find(({ endpoint }) => endpoint.operation.id === operationId);
  const { binary, errors = {} } = route?.endpoint.operation ?? {};
  const names = [
    ...(412 in errors ? ["If-Match"] : []),
    ...(412 in errors || binary ? ["If-None-Match"] : []),
    binary ? "Range" : "x-d1-bookmark",
  ];
  return names.map((name) => ({ name, in: "header", schema: { type: "string" } }));
}

/** Every operation of the document, once for each media type of its body. */
export const operations: readonly Operation[] = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId, parameters = [], requestBody }]) => {
    const operation = {
      id: operationId,
      method: method.toUpperCase(),
      path,
      parameters: [
        ...parameters.map((parameter) => resolved(parameter)),
        ...headersOf(operationId),
      ],
    };
    if (!requestBody) return [operation];
    const { content, required } = requestBody;
    return Object.entries(content).map(([type, { schema }]) => ({
      ...operation,
      content: { type, schema, required },
    }));
  }),
);

/** The forms that a schema allows. */
export function branchesOf(schema: Schema): readonly Schema[] {
  const { anyOf = [resolved(schema)] } = resolved(schema);
  return anyOf.map((branch) => resolved(branch));
}

/** The types that a schema allows, `null` among them. */
export function typesOf(schema: Schema): readonly string[] {
  return branchesOf(schema).flatMap(({ type = [] }) => type);
}
