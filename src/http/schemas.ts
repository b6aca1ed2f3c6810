import * as v from "valibot";

/** Longest string where nothing else is said, in Unicode code points (CONTRACT §2). */
export const MAX_TEXT = 4096;

/** Whether a string has at most `limit` Unicode code points. */
export function hasAtMost(limit: number, text: string): boolean {
  // A code point takes one or two UTF-16 units, so most strings need no counting.
  return text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit);
}

/** JSON Schema keywords that say what a rule checks, for the documents of the interface. */
export type Keywords = Readonly<Record<string, unknown>>;

/** A check that the documents can show. */
export function rule<Input>(holds: (input: Input) => boolean, message: string, keywords: Keywords) {
  return Object.assign(v.check<Input, string>(holds, message), { keywords });
}

/** An object with these members; others are ignored. */
export function JsonObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  message = "must be an object",
): v.ObjectSchema<Entries, string> {
  const schema = v.object(entries, message);
  return {
    ...schema,
    // JavaScript takes an array for an object too; JSON does not.
    "~run": (dataset, config) =>
      schema["~run"](Array.isArray(dataset.value) ? { value: null } : dataset, config),
  };
}

/** Well-formed Unicode that SQLite stores unchanged, at most 4,096 characters. */
export const Text = v.pipe(
  v.string("must be a string"),
  rule(
    (text) => text.isWellFormed() && !text.includes("\0"),
    "must be Unicode without U+0000",
    // Of lone surrogates it says nothing: no text in UTF-8 has any.
    { pattern: String.raw`^[^\u0000]*$` },
  ),
  rule((text) => hasAtMost(MAX_TEXT, text), `must have at most ${MAX_TEXT} characters`, {
    maxLength: MAX_TEXT,
  }),
);

/** Any integer that JSON carries exactly: within ±(2^53−1) (RFC 8259 §6). */
export const Integer = v.pipe(
  v.number("must be an integer"),
  v.safeInteger("must be an integer between -9007199254740991 and 9007199254740991"),
);

const ID_MESSAGE = "must be an integer from 1 to 9007199254740991";

/** The id of a stored resource, in a body: 1 … 2^53−1. */
export const Id = v.pipe(
  v.number(ID_MESSAGE),
  v.safeInteger(ID_MESSAGE),
  v.minValue(1, ID_MESSAGE),
);

/** A member that may be left out; `null` is the same as leaving it out. */
export function optionalMember<Input, Output>(schema: v.GenericSchema<Input, Output>) {
  return v.optional(
    v.pipe(
      v.nullable(schema),
      v.transform((value) => value ?? undefined),
    ),
  );
}

/** The id of a new resource: left out, `null` or 0 means that the service generates it. */
export const NewId = v.optional(
  v.pipe(
    v.nullable(v.union([v.literal(0), Id], ID_MESSAGE)),
    v.transform((id) => id || undefined),
  ),
);

/**
 * An id in a path: a canonical decimal integer. One beyond 2^53−1 is rounded, to another that no
 * resource can have, and so is not found rather than invalid.
 */
export const PathId = v.pipe(
  v.string(),
  rule((text) => /^(?:0|-?[1-9]\d*)$/.test(text), "must be an integer", {
    type: "integer",
    format: "int64",
    // Of those that can be found: any other is not found.
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  v.transform(Number),
);

/** One query parameter that must be given once. */
export const SingleParameter = <Schema extends v.GenericSchema<string, unknown>>(schema: Schema) =>
  v.pipe(
    v.array(v.string()),
    v.length(1, "must be given once"),
    v.transform(([value]) => value),
    schema,
  );

/** A query parameter with several values: separated by commas, repeated, or both; each once. */
export function ListParameter<Input extends string, Output>(item: v.GenericSchema<Input, Output>) {
  return v.pipe(
    v.array(v.string()),
    v.transform((values) => [...new Set(values.flatMap((value) => value.split(",")))]),
    v.array(item),
  );
}

/** Whether two values that schemas of one member order put out say the same. */
export function sameContent(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Bytes that are passed on as they are: no JSON. */
export const Binary = v.instance(ReadableStream);

/** Most items of a page. */
const MAX_LIMIT = 1000;

const WholeNumber = v.pipe(
  v.string(),
  rule((text) => /^(?:0|[1-9]\d*)$/.test(text), "must be a whole number", {
    type: "integer",
    format: "int64",
    minimum: 0,
  }),
);

/** Paging by key: at most `limit` items, with ids beyond `after`. Without `limit`: all of them. */
export const Paging = {
  limit: v.optional(
    SingleParameter(
      v.pipe(
        WholeNumber,
        v.transform(Number),
        v.minValue(1, `must be from 1 to ${MAX_LIMIT}`),
        v.maxValue(MAX_LIMIT, `must be from 1 to ${MAX_LIMIT}`),
      ),
    ),
  ),
  after: v.optional(
    SingleParameter(
      v.pipe(
        WholeNumber,
        v.transform(Number),
        v.maxValue(Number.MAX_SAFE_INTEGER, "must be at most 9007199254740991"),
      ),
    ),
  ),
};

/** The reference's answer where the specification shows no body. */
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
