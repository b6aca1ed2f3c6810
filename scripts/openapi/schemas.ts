import { toJsonSchema } from "@valibot/to-json-schema";
import type { ConversionConfig, JsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema, LazySchema, RegexAction } from "valibot";
import type { Schema } from "../../src/http/operation.ts";
import * as http from "../../src/http/schemas.ts";
import * as petContract from "../../src/pet/contract.ts";
import * as pet from "../../src/pet/pet.ts";
import * as storeContract from "../../src/store/contract.ts";
import * as order from "../../src/store/order.ts";
import * as user from "../../src/user/user.ts";
import { describeComponent } from "./descriptions.ts";
import { mapValues } from "./json.ts";
import type { Json } from "./json.ts";

const INT64 = { type: "integer", format: "int64" };
const MAX = Number.MAX_SAFE_INTEGER;

/** Where a schema is used. In requests, `null` stands for an omitted member; answers never contain it. */
export type Use = "request" | "response";

/** The valibot types that need a name in the documents. An object or an enum without a name is an error. */
const NAMED_TYPES = new Set(["object", "picklist", "array", "union"]);
const TYPES_TO_NAME = new Set(["object", "picklist"]);

const isSchema = (value: unknown): value is Schema & { readonly type: string } =>
  typeof value === "object" && value !== null && Reflect.get(value, "kind") === "schema";

const isLazy = (schema: object): schema is LazySchema<GenericSchema> =>
  Reflect.get(schema, "type") === "lazy";

/** The schema that describes a lazy one. */
const describing = (schema: Schema) => (isLazy(schema) ? schema.getter(undefined) : schema);

/** Schemas, and what describes them, by the names of their exports. */
const NAMES: ReadonlyMap<unknown, string> = new Map(
  [http, pet, petContract, order, storeContract, user]
    .flatMap((module) => Object.entries<unknown>(module))
    .flatMap(([name, value]): [unknown, string][] => {
      if (!isSchema(value)) return [];
      const described = describing(value);
      return NAMED_TYPES.has(described.type)
        ? [
            [value, name],
            [described, name],
          ]
        : [];
    }),
);

/** The name of the Petstore model of which a schema is a form. */
export const modelOf = (name: string): string =>
  name.replaceAll(/^(?:New)?(?:Listed)?|Input$/g, "");

const PREFIX = "#/components/schemas/";

/** The components by name: every schema that a document uses, with nested ones. */
export class Components {
  readonly #asked = new Map<string, Json>();
  readonly #models: Readonly<Record<string, Schema>> | undefined;

  /**
   * @param models the only names, each for every form of a schema, in requests and answers. By default, each form has
   *   its own
   */
  constructor(models?: Readonly<Record<string, Schema>>) {
    this.#models = models;
  }

  /**
   * The JSON Schema (2020-12) of a valibot schema: a reference, if it has a name.
   * @throws Error for an object or an enum without a name
   */
  schemaOf(schema: Schema, use: Use): Json {
    // A schema that is the same for requests and answers has no `null`.
    const how = this.#models ? "response" : use;
    const name = this.#nameOf(schema);
    if (name === undefined) return tidy(toJsonSchema(schema, this.#config(schema, how)));
    const key = `${name}.${how}`;
    if (!this.#asked.has(key)) {
      const named = describing(this.#models?.[name] ?? schema);
      // Register it before it is complete, because its parts may refer to it.
      this.#asked.set(key, {});
      this.#asked.set(key, tidy(toJsonSchema(named, this.#config(named, how, true))));
    }
    return { $ref: PREFIX + key };
  }

  /** The name that a schema has in the document. */
  #nameOf(schema: unknown): string | undefined {
    const name = NAMES.get(schema);
    if (!this.#models || name === undefined) return name;
    const model = modelOf(name);
    return model in this.#models ? model : undefined;
  }

  /** The JSON Schema of a parameter's value, after its text is parsed. */
  parameterSchemaOf(schema: Schema): Json {
    const config = this.#config(schema, "response");
    return tidy(toJsonSchema(schema, { ...config, typeMode: "output" }));
  }

  /**
   * Names the components. A schema that is the same for requests and answers has one name. A schema that differs has
   * another name for requests.
   * @param document whatever refers to the schemas
   */
  named<Document>(document: Document): { readonly document: Document; readonly schemas: Json } {
    const both = [...this.#asked.keys()].flatMap((key) => {
      const name = key.replace(/\.request$/, "");
      return name !== key && this.#asked.has(`${name}.response`) ? [name] : [];
    });
    const different = new Set<string>();
    const rename = (text: string) =>
      text.replaceAll(/"#\/components\/schemas\/(\w+)\.(\w+)"/g, (_, name: string, use: string) =>
        JSON.stringify(PREFIX + componentOf(name, use)),
      );
    const componentOf = (name: string, use: string) =>
      use === "request" && different.has(name) ? `${name}Input` : name;
    const textOf = (key: string) => rename(JSON.stringify(this.#asked.get(key)));
    // A schema that refers to a schema that differs also differs.
    for (let found = true; found;) {
      const next = both.filter(
        (name) => !different.has(name) && textOf(`${name}.request`) !== textOf(`${name}.response`),
      );
      for (const name of next) different.add(name);
      found = next.length > 0;
    }
    const schemas = [...this.#asked.keys()].map((key): [string, Json] => {
      const [name = "", use = ""] = key.split(".");
      const named = componentOf(name, use);
      return [named, describeComponent(named, JSON.parse(textOf(key)) as Json)];
    });
    return {
      document: JSON.parse(rename(JSON.stringify(document))) as Document,
      schemas: Object.fromEntries(schemas),
    };
  }

  /** @param isNamed whether the schema itself has a name, so that it must not become a reference to itself */
  #config(root: Schema, use: Use, isNamed = false): ConversionConfig {
    return {
      target: "draft-2020-12",
      typeMode: "input",
      ignoreActions: ["transform"],
      overrideAction: ({ valibotAction, jsonSchema }) => {
        if (valibotAction.type === "safe_integer") {
          return { minimum: -MAX, maximum: MAX, ...jsonSchema, ...INT64 } as JsonSchema;
        }
        if (isRegex(valibotAction)) {
          // Unlike JavaScript, JSON Schema needs no escape for a slash, and its patterns have the flag `u`.
          return {
            ...jsonSchema,
            pattern: valibotAction.requirement.source.replaceAll("\\/", "/"),
          };
        }
        // JSON Schema has no keyword for a check. That of the longest text is metadata.
        return ["check", "max_code_points"].includes(valibotAction.type) ? jsonSchema : undefined;
      },
      overrideSchema: ({ valibotSchema, referenceMap, definitions }) => {
        if ((valibotSchema as unknown) === http.NewId) {
          const type = use === "request" ? { type: ["integer", "null"] as const } : {};
          return { ...INT64, ...type, minimum: 0, maximum: MAX } as JsonSchema;
        }
        if (valibotSchema.type === "instance") return { type: "string", format: "binary" };
        if (valibotSchema === root && isNamed) return undefined;
        if (this.#nameOf(valibotSchema)) return this.schemaOf(valibotSchema, use);
        if (TYPES_TO_NAME.has(valibotSchema.type) && !NAMES.has(valibotSchema)) {
          const shown = JSON.stringify(valibotSchema);
          throw new Error(`a schema of the interface is not exported, so it has no name: ${shown}`);
        }
        if (isLazy(valibotSchema)) {
          const id = referenceMap.get(valibotSchema.getter(undefined));
          return id === undefined ? undefined : definitions[id];
        }
        const inner = nullableOf(valibotSchema);
        return inner && use === "response" ? this.schemaOf(inner, use) : undefined;
      },
    };
  }
}

const isRegex = (action: object): action is RegexAction<string, undefined> =>
  Reflect.get(action, "type") === "regex";

/** The schema inside an `optionalMember`. */
function nullableOf(schema: unknown): Schema | undefined {
  const { type, wrapped } = schema as {
    type: string;
    wrapped?: { type: string; wrapped?: Schema };
  };
  return type === "optional" && wrapped?.type === "nullable" ? wrapped.wrapped : undefined;
}

/** Writes "a string or null" as one type with two names, as people do. */
function tidy(schema: unknown): Json {
  const { $schema: _, $defs: __, ...rest } = schema as Json;
  return walk(rest) as Json;
}

function walk(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(walk);
  if (typeof node !== "object" || node === null) return node;
  const result = mapValues<unknown, unknown>({ ...node }, walk);
  if (Array.isArray(result["required"]) && result["required"].length === 0)
    delete result["required"];
  if ("const" in result)
    result["type"] ??= Number.isInteger(result["const"]) ? "integer" : "string";
  const { anyOf } = result as { anyOf?: Json[] };
  const [value = {}, none] = anyOf ?? [];
  if (anyOf?.length === 2 && none?.["type"] === "null" && typeof value["type"] === "string") {
    return { ...value, type: [value["type"], "null"] };
  }
  return result;
}
