// The schemas of the documents, made from those that the service validates with.
import { toJsonSchema, toJsonSchemaDefs, type ConversionConfig, type JsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import * as pet from "../src/pets/schemas.ts";
import { Integer } from "../src/http/schemas.ts";
import * as store from "../src/orders/schemas.ts";
import * as user from "../src/users/schemas.ts";
import descriptions from "./descriptions.json" with { type: "json" };
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

const inAnswers = {
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

/** Petstore has one model for requests and answers, integers of 32 bits, and dates as RFC 3339 writes them. */
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
  ErrorBody: inAnswers.ErrorBody,
  FieldError,
};

/** A regular expression without `\d`, which in Python and .NET takes other digits too. */
const portable = (source: string): string =>
  source.replaceAll(String.raw`[\d`, "[0-9").replaceAll(String.raw`\d`, "[0-9]");

/** @param orNull what a member becomes that may be `null` */
const conversion = (orNull: (value: JsonSchema) => JsonSchema): ConversionConfig => ({
  target: "draft-2020-12",
  // An array's length is checked before its items, in one pipe: both apply, which the converter takes for an error.
  errorMode: "ignore",
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideAction({ valibotAction, jsonSchema, errors }) {
    const { type, requirement } = valibotAction as { type: string; requirement?: unknown };
    switch (type) {
      // What JSON Schema can say of a check stands beside it, as metadata.
      case "check":
      case "transform":
        return jsonSchema;
      // A number in a path or a query.
      case "to_number":
        return { type: "integer", format: "int64" };
      // `Once`: the only value of a parameter.
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
      // `objectOf`: the type of the object after it says the same.
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

/** In requests, `null` is the same as leaving a member out. */
const forRequests = conversion((value) =>
  typeof value.type === "string" ? { ...value, type: [value.type, "null"] } : { anyOf: [value, { type: "null" }] },
);
/** Answers have no `null`. */
const forAnswers = conversion((value) => value);

const texts: Readonly<Record<string, string>> = descriptions;

/** The description of a component, or of its member. Forms in requests have those of `Pet`, `Order` and so on. */
function describe(component: string, member = ""): string {
  const text = texts[component + member] ?? texts[component.replace(/^New|Input$|Form$/, "") + member];
  if (text === undefined) throw new Error(`openapi/descriptions.json has no ${component}${member}`);
  return text;
}

const described = (definitions: Schemas): Schemas =>
  mapValues(definitions, ({ properties, ...schema }, name) => ({
    description: describe(name),
    ...schema,
    ...(properties && {
      properties: mapValues(properties, (inner, member) => ({
        description: describe(name, `.${member}`),
        ...(inner as JsonSchema),
      })),
    }),
  }));

/** The components of the OpenAPI document of `/v2`. */
export const schemas: Schemas = described({
  ...toJsonSchemaDefs(inRequests, forRequests),
  ...toJsonSchemaDefs(inAnswers, forAnswers),
});

/** The models of the documents of Petstore. */
export const models: Schemas = described(toJsonSchemaDefs(inPetstore, forAnswers));

/** A schema of `/v2`, or the reference to its component. */
export const schemaOf = (schema: v.GenericSchema): JsonSchema => converted(schema, forRequests, inRequests);

/** The same in the documents of Petstore, where it may be a model. */
export const petstoreSchemaOf = (schema: v.GenericSchema): JsonSchema => converted(schema, forAnswers, inPetstore);

function converted(schema: v.GenericSchema, config: ConversionConfig, definitions: Record<string, v.GenericSchema>) {
  const { $schema: _schema, $defs: _definitions, ...json } = toJsonSchema(schema, { ...config, definitions });
  return json;
}

/** The component of a body. */
export function componentOf(schema: v.GenericSchema): string {
  const [name] = Object.entries(inRequests).find(([, component]) => component === schema) ?? [];
  if (!name) throw new Error("openapi/schemas.ts does not name the schema of a body");
  return name;
}
