import * as v from "valibot";

/** Longest string, in Unicode code points, unless a rule says otherwise (interface §2.6). */
export const MAX_TEXT = 4096;

/** A JSON object by its members. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. In JavaScript, so are an array and null. */
export const isObject = (value: unknown): value is PlainObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// The documents describe what a lazy schema chooses for `undefined`, which no JSON has.

/** An object with these members; others are ignored. */
export function JsonObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  message = "must be an object",
) {
  const object = v.object(entries, message);
  // To valibot, an array is an object too. Lazy, because the documents would lose the members of a pipe with a check first.
  const notAnObject = v.never(message);
  return v.lazy((input) => (Array.isArray(input) ? notAnObject : object));
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

/**
 * An array of at most `max` items. Its length is checked first, then its items.
 * @param items what the items are called, in the plural
 */
export function BoundedArray<Input, Output>(
  item: v.GenericSchema<Input, Output>,
  max: number,
  items: string,
  message: v.ErrorMessage<v.ArrayIssue> = expected("an array"),
) {
  const tooMany = `must have at most ${max} ${items}`;
  const array = v.pipe(v.array(item, message), v.maxLength(max, tooMany));
  const tooLong = v.pipe(
    v.custom<never>(Array.isArray),
    v.check(() => false, tooMany),
  );
  return v.lazy((input) => (Array.isArray(input) && input.length > max ? tooLong : array));
}

/** Well-formed Unicode that SQLite stores unchanged, of at most 4,096 characters. */
export const Text = v.pipe(
  v.string(expected("a string")),
  v.check((text) => text.isWellFormed() && !text.includes("\0"), "must be Unicode without U+0000"),
  v.maxCodePoints(MAX_TEXT, `must have at most ${MAX_TEXT} characters`),
  // The pattern need not exclude lone surrogates: UTF-8 cannot encode them.
  v.metadata({ pattern: String.raw`^[^\u0000]*$`, maxLength: MAX_TEXT }),
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
 * A string, or an object or array. The type of a value chooses its schema, whose errors a union would not name.
 * @param message for a value that is neither a string nor an object or array
 */
export function TextOr<
  const OfText extends v.GenericSchema<string, unknown>,
  const OfOther extends v.GenericSchema,
>(text: OfText, other: OfOther, message: v.ErrorMessage<v.UnionIssue<v.BaseIssue<unknown>>>) {
  const either = v.union([text, other], message);
  return v.lazy((input) => {
    if (typeof input === "string") return text;
    return typeof input === "object" && input !== null ? other : either;
  });
}

/** The id of a new resource. If it is absent, `null` or 0, the service generates one. */
export const NewId = optionalMember(
  v.pipe(
    idFrom(0),
    v.transform((id) => id || undefined),
  ),
);

/** An id in a path: a canonical decimal integer. One beyond 2^53−1 is rounded, but no resource can have the result. */
export const PathId = v.pipe(
  v.string(),
  v.check((text) => /^(?:0|-?[1-9]\d*)$/.test(text), "must be an integer"),
  // A resource can have only these ids. Others are 404.
  v.metadata({ type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  v.transform(Number),
);

/** A query parameter that must be given exactly once. */
export const SingleParameter = <Schema extends v.GenericSchema<string, unknown>>(schema: Schema) =>
  v.pipe(
    v.array(v.string()),
    v.length(1, "must be given once"),
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
  v.check((text) => /^(?:0|[1-9]\d*)$/.test(text), "must be a whole number"),
  v.metadata({ type: "integer", format: "int64", minimum: 0 }),
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
