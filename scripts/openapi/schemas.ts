import { toJsonSchema } from "@valibot/to-json-schema";
import type { ConversionConfig, JsonSchema } from "@valibot/to-json-schema";
import type { Schema } from "../../src/http/operation.ts";
import { NewId } from "../../src/http/schemas.ts";
import type { Keywords } from "../../src/http/schemas.ts";

export type Json = Record<string, unknown>;

const INT64 = { type: "integer", format: "int64" };
const MAX = Number.MAX_SAFE_INTEGER;

/** How a schema is used: `null` stands for an omitted member in requests, and never comes in answers. */
export type Use = "request" | "response";

/**
 * The JSON Schema (2020-12) of a valibot schema.
 * @param named schemas that are referred to by name where they are part of it
 */
export function schemaOf(
  schema: Schema,
  use: Use,
  named: ReadonlyMap<Schema, string> = new Map(),
): Json {
  const others = new Map([...named].filter(([other]) => other !== schema));
  return tidy(toJsonSchema(schema, config(use, others)));
}

/** The JSON Schema of what a parameter's text stands for. */
export function parameterSchemaOf(schema: Schema): Json {
  return tidy(toJsonSchema(schema, { ...config("response"), typeMode: "output" }));
}

function config(use: Use, named: ReadonlyMap<Schema, string> = new Map()): ConversionConfig {
  return {
    target: "draft-2020-12",
    typeMode: "input",
    ignoreActions: ["transform"],
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type === "safe_integer") {
        return { minimum: -MAX, maximum: MAX, ...jsonSchema, ...INT64 } as JsonSchema;
      }
      const { keywords } = valibotAction as { keywords?: Keywords };
      if (keywords) return { ...jsonSchema, ...keywords };
      // A check that has no keywords cannot be shown.
      return valibotAction.type === "check" ? jsonSchema : undefined;
    },
    overrideSchema: ({ valibotSchema }) => {
      if ((valibotSchema as unknown) === NewId) {
        return { ...INT64, type: ["integer", "null"], minimum: 0, maximum: MAX };
      }
      if (valibotSchema.type === "instance") return { type: "string", format: "binary" };
      const name = named.get(valibotSchema);
      if (name) return { $ref: `#/components/schemas/${name}` };
      const inner = nullableOf(valibotSchema);
      return inner && use === "response" ? schemaOf(inner, use) : undefined;
    },
  };
}

/** What an `optionalMember` holds when it is there. */
function nullableOf(schema: unknown): Schema | undefined {
  const { type, wrapped } = schema as {
    type: string;
    wrapped?: { type: string; wrapped?: Schema };
  };
  return type === "optional" && wrapped?.type === "nullable" ? wrapped.wrapped : undefined;
}

/** Joins "a string" or "null" into one type, as people would write it. */
function tidy(schema: unknown): Json {
  const { $schema: _, ...rest } = schema as Json;
  return walk(rest) as Json;
}

function walk(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(walk);
  if (typeof node !== "object" || node === null) return node;
  const result = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, walk(value)]));
  if (Array.isArray(result["required"]) && result["required"].length === 0)
    delete result["required"];
  if ("const" in result)
    result["type"] ??= Number.isInteger(result["const"]) ? "integer" : "string";
  const { anyOf } = result as { anyOf?: Json[] };
  if (anyOf?.length === 2 && anyOf[1]?.["type"] === "null") {
    const [value = {}] = anyOf;
    const { enum: values } = value;
    if (typeof value["type"] === "string" || Array.isArray(values)) {
      return {
        ...value,
        type: [value["type"] ?? "string", "null"],
        ...(Array.isArray(values) && { enum: [...values, null] }),
      };
    }
    if (Array.isArray(value["anyOf"])) return { anyOf: [...value["anyOf"], { type: "null" }] };
  }
  return result;
}
