import * as v from "valibot";
import { MAX_ERRORS } from "./errors.ts";

/** Longest string, in Unicode code points, unless a rule says otherwise (interface §2.6). */
export const MAX_TEXT = 4096;

/** Whether a string has at most `limit` Unicode code points. */
export function hasAtMost(limit: number, text: string): boolean {
  // A code point takes one or two UTF-16 units, so most strings need no counting.
  return text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit);
}

/** JSON Schema keywords that describe a rule in the OpenAPI documents. */
export type Keywords = Readonly<Record<string, unknown>>;

/** A check that the documents describe. */
export function rule<Input>(holds: (input: Input) => boolean, message: string, keywords: Keywords) {
  return Object.assign(v.check<Input, string>(holds, message), { keywords });
}

/** A text that matches a pattern. The pattern is compiled when it is first used, so that a Worker starts faster. */
export function matching(pattern: string, message: string) {
  let regex: RegExp | undefined;
  return rule((text: string) => (regex ??= new RegExp(pattern, "u")).test(text), message, {
    pattern,
  });
}

type Config = v.Config<v.BaseIssue<unknown>>;

/**
 * A schema that delegates the check of a value to the one that `choose` returns; the documents describe the schema itself.
 * This is the only override of valibot's private `~run`: `lazy` cannot be described, and `union` checks a value twice.
 */
function delegating<Schema extends v.GenericSchema>(
  schema: Schema,
  choose: (
    dataset: v.UnknownDataset,
    config: Config,
  ) => { readonly by: v.GenericSchema; readonly config?: Config },
): Schema {
  const run = (dataset: v.UnknownDataset, given: Config) => {
    const { by, config = given } = choose(dataset, given);
    return by["~run"](dataset, config);
  };
  return { ...schema, "~run": run };
}

export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. In JavaScript, so are an array and null. */
export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object with these members; others are ignored. */
export function JsonObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  message = "must be an object",
): v.ObjectSchema<Entries, string> {
  const object = v.object(entries, message);
  const notAnObject = v.custom(() => false, message);
  return delegating(object, ({ value }) => ({ by: isObject(value) ? object : notAnObject }));
}

/** The message for a value of the wrong type, such as a quoted number: what it must be, and what it is. */
export function expected(what: string) {
  return ({ input }: { readonly input: unknown }) => `must be ${what}, not ${kindOf(input)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Stops checking an array after as many errors as an answer names: a sandbox accepts 200,000 values. */
class UntilMaxErrors implements Config {
  readonly abortPipeEarly: boolean | undefined;
  readonly #array: { readonly issues?: readonly unknown[] | undefined };

  constructor({ abortPipeEarly }: Config, array: v.UnknownDataset) {
    this.abortPipeEarly = abortPipeEarly;
    this.#array = array;
  }

  get abortEarly(): boolean {
    return (this.#array.issues?.length ?? 0) >= MAX_ERRORS;
  }
}

/**
 * An array of at most `max` items. Its length is checked first, then its items, up to `MAX_ERRORS` errors.
 * @param items what the items are called, in the plural
 */
export function BoundedArray<Input, Output>(
  item: v.GenericSchema<Input, Output>,
  max: number,
  items: string,
  message: v.ErrorMessage<v.ArrayIssue> = expected("an array"),
) {
  const array = v.array(item, message);
  const atMost = v.maxLength<Output[], number, string>(max, `must have at most ${max} ${items}`);
  const tooLong = v.pipe(v.custom<Output[]>(Array.isArray), atMost);
  return delegating(v.pipe(array, atMost), (dataset, config) =>
    Array.isArray(dataset.value) && dataset.value.length > max
      ? { by: tooLong }
      : { by: array, config: new UntilMaxErrors(config, dataset) },
  );
}

/** Well-formed Unicode that SQLite stores unchanged, of at most 4,096 characters. */
export const Text = v.pipe(
  v.string(expected("a string")),
  rule(
    (text) => text.isWellFormed() && !text.includes("\0"),
    "must be Unicode without U+0000",
    // The pattern need not exclude lone surrogates: UTF-8 cannot encode them.
    { pattern: String.raw`^[^\u0000]*$` },
  ),
  rule((text) => hasAtMost(MAX_TEXT, text), `must have at most ${MAX_TEXT} characters`, {
    maxLength: MAX_TEXT,
  }),
);

/** One of these strings. */
export const OneOf = <const Values extends readonly string[]>(values: Values) =>
  v.picklist(values, `must be one of ${values.join(", ")}`);

/** Any integer that JSON carries exactly: within ±(2^53−1) (RFC 8259 §6). */
export const Integer = v.pipe(
  v.number(expected("an integer")),
  v.safeInteger("must be an integer between -9007199254740991 and 9007199254740991"),
);

const ID_MESSAGE = "must be an integer from 1 to 9007199254740991";

const idFrom = (least: number) =>
  v.pipe(
    v.number(expected("an integer")),
    v.safeInteger(ID_MESSAGE),
    v.minValue(least, ID_MESSAGE),
  );

/** The id of a stored resource, in a body: 1 to 2^53−1. */
export const Id = idFrom(1);

/** A member that may be left out; `null` is the same as leaving it out. */
export function optionalMember<Input, Output>(schema: v.GenericSchema<Input, Output>) {
  return v.optional(
    v.pipe(
      v.nullable(schema),
      v.transform((value) => value ?? undefined),
    ),
  );
}

/**
 * A string or something else. The type of a value decides which schema checks it; a union would try both.
 * @param message for a value that is neither a string nor an object or array
 */
export function TextOr<
  const Text extends v.GenericSchema<string, unknown>,
  const Other extends v.GenericSchema,
>(text: Text, other: Other, message: v.ErrorMessage<v.CustomIssue>) {
  // The documents describe it as a union. `v.union` would only add code.
  const union = { ...v.custom(() => false, message), type: "union", options: [text, other] };
  return delegating(union as unknown as v.UnionSchema<[Text, Other], string>, ({ value }) => {
    if (typeof value === "string") return { by: text };
    return { by: typeof value === "object" && value !== null ? other : union };
  });
}

/** The id of a new resource. If it is absent, `null` or 0, the service generates one. */
export const NewId = v.optional(
  v.pipe(
    v.nullable(idFrom(0)),
    v.transform((id) => id || undefined),
  ),
);

/** An id in a path: a canonical decimal integer. One beyond 2^53−1 is rounded, but no resource can have the result. */
export const PathId = v.pipe(
  v.string(),
  rule((text) => /^(?:0|-?[1-9]\d*)$/.test(text), "must be an integer", {
    type: "integer",
    format: "int64",
    // A resource can have only these ids. Others are 404.
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  v.transform(Number),
);

/** A query parameter that must be given exactly once. */
export const SingleParameter = <Schema extends v.GenericSchema<string, unknown>>(schema: Schema) =>
  v.pipe(
    v.array(v.string()),
    v.check((values) => values.length === 1, "must be given once"),
    v.transform(([value]) => value),
    schema,
  );

/** The most values of a list in a query, including repeated ones (interface §2.4). */
const MAX_VALUES = 100;

/**
 * A query parameter with several values: separated by commas, repeated, or both. The output has no duplicates.
 * @param items what the values are called, in the plural
 */
export function ListParameter<Input extends string, Output>(
  item: v.GenericSchema<Input, Output>,
  items: string,
) {
  return v.pipe(
    v.array(v.string()),
    // One more than the limit is enough to exceed it.
    v.transform((values) => values.flatMap((value) => value.split(",", MAX_VALUES + 1))),
    BoundedArray(item, MAX_VALUES, items),
    v.transform((values) => [...new Set(values)]),
  );
}

/** Whether two outputs have the same content. Their members must have the same order. */
export function sameContent(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Bytes, which are sent unchanged. */
export const Binary = v.instance(ReadableStream);

/** The most items of a page. */
const MAX_LIMIT = 1000;
const LIMIT_MESSAGE = `must be from 1 to ${MAX_LIMIT}`;

const WholeNumber = v.pipe(
  v.string(),
  rule((text) => /^(?:0|[1-9]\d*)$/.test(text), "must be a whole number", {
    type: "integer",
    format: "int64",
    minimum: 0,
  }),
  v.transform(Number),
);

/** The parameters of a page: at most `limit` items with ids greater than `after`. Without `limit`, all of them. */
export const Paging = {
  limit: v.optional(
    SingleParameter(
      v.pipe(WholeNumber, v.minValue(1, LIMIT_MESSAGE), v.maxValue(MAX_LIMIT, LIMIT_MESSAGE)),
    ),
  ),
  after: v.optional(
    SingleParameter(
      v.pipe(WholeNumber, v.maxValue(Number.MAX_SAFE_INTEGER, "must be at most 9007199254740991")),
    ),
  ),
};

/** The body of Swagger Petstore's answers for which the specification shows none. */
export const ApiResponse = v.object({
  code: v.literal(200),
  type: v.literal("unknown"),
  message: v.string(),
});
export type ApiResponse = v.InferOutput<typeof ApiResponse>;

/** An `ApiResponse` with this message. */
export function apiResponse(message: string): ApiResponse {
  return { code: 200, type: "unknown", message };
}
