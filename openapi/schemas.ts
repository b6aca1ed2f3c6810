// The schemas of the documents, converted from the schemas that the service validates with.
import { toJsonSchema, toJsonSchemaDefs, type ConversionConfig, type JsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { Integer } from "../src/http/schemas.ts";
import * as store from "../src/orders/schemas.ts";
import * as pet from "../src/pets/schemas.ts";
import * as user from "../src/users/schemas.ts";
import descriptions from "./descriptions.json" with { type: "json" };
import { EXAMPLES } from "./examples.ts";
import { mapValues } from "./json.ts";

export type Schemas = Readonly<Record<string, JsonSchema>>;

const Count = v.pipe(Integer, v.minValue(0));
const Int32 = v.pipe(v.number(), v.integer(), v.metadata({ format: "int32" }));

const FieldError = v.object({ path: v.string(), message: v.string() });

const inRequests = {
  NewPet: pet.NewPet,
  PetInput: pet.Pet,
  PetForm: pet.PetChanges,
  PhotoUrls: pet.PhotoUrls,
  PetStatus: pet.PetStatus,
  CategoryInput: pet.Category,
  TagInput: pet.Tag,
  TagOrNameInput: pet.TagOrName,
  ImageForm: pet.Upload,
  NewOrder: store.NewOrder,
  OrderStatus: store.OrderStatus,
  NewUser: user.NewUser,
  NewUsers: user.NewUsers,
};

const inResponses = {
  Pet: pet.Pet,
  PhotoUrls: pet.PhotoUrls,
  PetStatus: pet.PetStatus,
  Category: pet.Category,
  Tag: pet.Tag,
  TagOrName: pet.TagOrName,
  Inventory: v.object({ available: Count, pending: Count, sold: Count }),
  Order: store.Order,
  OrderStatus: store.OrderStatus,
  User: user.User,
  ApiResponse: v.object({
    code: v.literal(200),
    type: v.literal("unknown"),
    message: v.string(),
  }),
  ErrorBody: v.object({
    code: Int32,
    type: v.literal("error"),
    message: v.string(),
    errors: v.optional(v.pipe(v.array(FieldError), v.minLength(1), v.maxLength(100))),
  }),
  FieldError,
};

/** Petstore has one model for requests and responses, integers of 32 bits, and dates in the form of RFC 3339. */
const inPetstore = {
  Category: pet.Category,
  Tag: pet.Tag,
  Pet: pet.NewPet3,
  Order: v.object({
    ...store.NewOrder.pipe[1].entries,
    quantity: v.optional(v.pipe(Int32, v.minValue(0))),
    shipDate: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  }),
  User: v.object({ ...user.NewUser.pipe[1].entries, userStatus: v.optional(Int32) }),
  ApiResponse: v.partial(v.object({ code: Int32, type: v.string(), message: v.string() })),
  ErrorBody: inResponses.ErrorBody,
  FieldError,
};

/**
 * Rewrites the source of a regular expression without `\d`, which matches other digits too in Python and .NET, and without the
 * escaped `/` of `RegExp.source`, which generators escape again.
 */
const portable = (source: string): string =>
  source
    .replaceAll(String.raw`[\d`, "[0-9")
    .replaceAll(String.raw`\d`, "[0-9]")
    .replaceAll(/\\(.)/g, (pair, escaped) => (escaped === "/" ? "/" : pair));

/** @param orNull converts a property that can be `null` */
const conversion = (orNull: (value: JsonSchema) => JsonSchema): ConversionConfig => ({
  target: "draft-2020-12",
  // An array's length is checked before its items, in one pipe. The converter reports this as an error, although both apply.
  errorMode: "ignore",
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideAction({ valibotAction, jsonSchema, errors }) {
    const { type, requirement } = valibotAction as { type: string; requirement?: unknown };
    switch (type) {
      // The schema of the service describes these as metadata.
      case "check":
      case "transform":
        return jsonSchema;
      // A number in a path or a query.
      case "to_number":
        return { type: "integer", format: "int64" };
      // `SingleValue`: the only value of a parameter.
      case "length":
        return {};
      // The last pattern of a pipe is the narrowest.
      case "regex":
        return { ...jsonSchema, pattern: portable((requirement as RegExp).source) };
      case "metadata":
        return jsonSchema.pattern === undefined ? jsonSchema : { ...jsonSchema, pattern: portable(jsonSchema.pattern) };
      case "safe_integer":
        return { ...jsonSchema, format: "int64" };
      case "max_code_points":
        return { ...jsonSchema, maxLength: Number(requirement) };
      default:
        if (errors) throw new Error(errors.join(" "));
        return undefined;
    }
  },
  overrideSchema({ valibotSchema, jsonSchema, errors }) {
    switch (valibotSchema.type) {
      case "nullish":
        return orNull(jsonSchema.anyOf?.[0] as JsonSchema);
      // `plainObject`: the object schema after it says the same.
      case "custom":
        return {};
      case "object": {
        const { required, ...rest } = jsonSchema;
        return required?.length === 0 ? rest : jsonSchema;
      }
      case "file":
        return { type: "string", format: "binary" };
      case "literal":
        return { ...jsonSchema, type: typeof jsonSchema.const === "string" ? "string" : "integer" };
      default:
        if (errors) throw new Error(errors.join(" "));
        return undefined;
    }
  },
});

/** In requests, `null` is the same as omitting the property. */
const forRequests = conversion((value) =>
  typeof value.type === "string" ? { ...value, type: [value.type, "null"] } : { anyOf: [value, { type: "null" }] },
);
/** Responses have no `null`. */
const forResponses = conversion((value) => value);

const texts: Readonly<Record<string, string>> = descriptions;

/** Returns the name of the resource that a component of requests describes: `Pet` for `NewPet`. */
const resourceOf = (component: string) => component.replace(/^New|Input$|Form$/, "");

/** Returns the description of a component or of its property. @throws Error if there is none */
function describe(component: string, property = ""): string {
  const text = texts[component + property] ?? texts[resourceOf(component) + property];
  if (text === undefined) throw new Error(`openapi/descriptions.json has no ${resourceOf(component)}${property}`);
  return text;
}

/** Returns an example of a property. @throws Error if there is none */
function exampleOf(component: string, property: string): unknown {
  const example = EXAMPLES[component]?.[property] ?? EXAMPLES[resourceOf(component)]?.[property];
  if (example === undefined) throw new Error(`openapi/examples.ts has no ${resourceOf(component)}.${property}`);
  return example;
}

/** Adds descriptions and examples. @param showing writes an example */
const described = (definitions: Schemas, showing: (example: unknown) => object): Schemas =>
  mapValues(definitions, ({ properties, ...schema }, name) => ({
    description: describe(name),
    ...schema,
    ...(properties && {
      properties: mapValues(properties, (inner, property) => ({
        description: describe(name, `.${property}`),
        ...(inner as JsonSchema),
        // No example can hold a file.
        ...((inner as JsonSchema).format !== "binary" && showing(exampleOf(name, property))),
      })),
    }),
  }));

/** The components of the OpenAPI document of `/v2`. */
export const schemas: Schemas = described(
  { ...toJsonSchemaDefs(inRequests, forRequests), ...toJsonSchemaDefs(inResponses, forResponses) },
  (example) => ({ examples: [example] }),
);

/** The models of the documents for clients of Petstore. Before OpenAPI 3.1, a schema has one `example`. */
export const models: Schemas = described(toJsonSchemaDefs(inPetstore, forResponses), (example) => ({ example }));

/** Returns a schema of `/v2`, or the reference to its component. */
export const schemaOf = (schema: v.GenericSchema): JsonSchema => converted(schema, forRequests, inRequests);

/** Returns the same for the documents for clients of Petstore, where it can be a model. */
export const petstoreSchemaOf = (schema: v.GenericSchema): JsonSchema => converted(schema, forResponses, inPetstore);

function converted(schema: v.GenericSchema, config: ConversionConfig, definitions: Record<string, v.GenericSchema>) {
  const { $schema: _schema, $defs: _definitions, ...json } = toJsonSchema(schema, { ...config, definitions });
  return json;
}

/** Returns the component of a body. @throws Error if there is none */
export function componentOf(schema: v.GenericSchema): string {
  const [name] = Object.entries(inRequests).find(([, component]) => component === schema) ?? [];
  if (!name) throw new Error("openapi/schemas.ts has no name for the schema of a body");
  return name;
}
