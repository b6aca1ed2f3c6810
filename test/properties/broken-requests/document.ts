import { openApi, operationsOf } from "../../openapi.ts";
import type { ParameterObject, Schema } from "../../openapi.ts";

/** An operation with a body in one of its media types, or with none. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** As the document has it: `/pet/{petId}`. */
  readonly path: string;
  readonly parameters: readonly ParameterObject[];
  readonly content?: {
    readonly type: string;
    readonly schema: Schema;
    readonly required: boolean;
  };
}

/** What a reference means; anything else as it is. */
function resolved<Stated extends object>(stated: Stated | { readonly $ref: string }): Stated {
  if (!("$ref" in stated) || typeof stated.$ref !== "string") return stated as Stated;
  const found = stated.$ref
    .split("/")
    .slice(1)
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], openApi);
  return found as Stated;
}

/** Every operation of the document, once for each media type of its body. */
export const operations: readonly Operation[] = operationsOf(openApi).flatMap(
  ({ operationId: id, method, path, parameters = [], requestBody }) => {
    const operation = { id, method, path, parameters: parameters.map((each) => resolved(each)) };
    if (!requestBody) return [operation];
    const { content, required } = requestBody;
    return Object.entries(content).map(([type, { schema }]) => ({
      ...operation,
      content: { type, schema, required },
    }));
  },
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
