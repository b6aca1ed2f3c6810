import * as v from "valibot";

/** The maximum length of a string in a body, in Unicode code points. */
export const MAX_TEXT = 4096;

/** The maximum number of items of an array in a body. */
export const MAX_ITEMS = 100;

/** Returns the message for a value of the wrong type: what it must be, and what it is. */
export const expected =
  (what: string) =>
  ({ input }: { readonly input: unknown }) =>
    input === undefined ? "is required" : `must be ${what}, not ${describeType(input)}`;

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Rejects an array before a `v.object`, which would accept it. */
const notArray = <Input>() => v.custom<Input>((input) => !Array.isArray(input), expected("an object"));
export const NotArray = notArray<unknown>();

/** An object with these fields, not an array. @param what describes the object in the message */
export function plainObject<const Entries extends v.ObjectEntries>(entries: Entries, what = "an object") {
  const object = v.object(entries, expected(what));
  return v.pipe(notArray<v.InferInput<typeof object>>(), object);
}

/** Whether a value is an object, not an array. */
export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a JSON value has at most this many levels. */
export const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1)));

/** An object without other fields. @param message for each other field */
export const strictObject = <const Entries extends v.ObjectEntries>(entries: Entries, message = "is not a field") =>
  v.strictObject(entries, (issue) => (issue.expected === "never" ? message : expected("an object")(issue)));

/** One of several texts. */
export const oneOf = <const Options extends readonly string[]>(...options: Options) =>
  v.picklist(options, `must be one of ${options.join(", ")}`);

/**
 * An array whose length is checked before its items.
 * @param things what the items are called in the message
 */
export const boundedArray = <Item extends v.GenericSchema>(
  item: Item,
  most: number,
  things: string,
  what = "an array",
) =>
  v.pipe(v.array(v.unknown(), expected(what)), v.maxLength(most, `must have at most ${most} ${things}`), v.array(item));

/** Returns an issue of `v.rawCheck` with the part of an input at these keys, or with all of it. */
export function issueAt(message: string, input: unknown, ...keys: readonly string[]) {
  const at = { type: "unknown", origin: "value", input, value: undefined } as const;
  const [first, ...others] = keys.map((key): v.UnknownPathItem => ({ ...at, key }));
  const path: [v.UnknownPathItem, ...v.UnknownPathItem[]] | undefined = first && [first, ...others];
  return { message, ...(path && { path }) };
}

// JSON Schema cannot express `v.check`. The `v.metadata` after it adds the part of the check that JSON Schema can express.
// Patterns use only syntax that ECMAScript, Python, Java, and .NET share: no lookaround, no `\p`.

/** Unicode that SQLite stores unchanged. */
export const Text = v.pipe(
  v.string(expected("a string")),
  v.check((text) => text.isWellFormed() && !text.includes("\0"), "must be Unicode without U+0000"),
  v.metadata({ pattern: String.raw`^[^\u0000]*$` }),
  v.maxCodePoints(MAX_TEXT, `must have at most ${MAX_TEXT} characters`),
);

export const NonEmptyText = v.pipe(Text, v.minLength(1, "must not be empty"));

/** A header value that a client or the service can send. Workerd drops an empty one. */
export const Printable = v.pipe(
  v.string(expected("a string")),
  v.regex(/^[!-~](?:[ -~]*[!-~])?$/, "must be printable ASCII without spaces at its ends"),
);

/** The API key of a sandbox or of the package. */
export const ApiKey = v.pipe(Printable, v.minLength(16, "must have at least 16 characters"));

/** An integer that JSON represents exactly (RFC 8259, section 6). */
export const Integer = v.pipe(
  v.number(expected("an integer")),
  v.safeInteger("must be an integer between -9007199254740991 and 9007199254740991"),
);

const ID_MESSAGE = "must be an integer from 1 to 9007199254740991";

const idFrom = (least: number) =>
  v.pipe(v.number(expected("an integer")), v.safeInteger(ID_MESSAGE), v.minValue(least, ID_MESSAGE));

/** The ID of a stored resource, in a body. */
export const Id = idFrom(1);

/** The ID of a new resource. If it is absent, `null`, or 0, the service generates one. */
export const NewId = v.pipe(
  v.nullish(idFrom(0), null),
  v.transform((id) => id || null),
);

/** The ID in a path: a canonical decimal integer. An integer above 2^53 is rounded to a number that no resource has. */
export const PathId = v.pipe(
  v.string(),
  v.regex(/^(?:0|-?[1-9]\d*)$/, "must be an integer"),
  v.toNumber(),
  // Other integers return 404.
  v.metadata({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
);

/** A query parameter that must not be repeated. */
export const SingleValue = v.pipe(
  v.array(v.string()),
  v.length(1, "must be given once"),
  v.transform(([value = ""]) => value),
);

/** The maximum number of items of a list in a query. */
const MAX_NAMES = 20;

/** A list in a query: separated by commas, repeated, or both. Duplicates are dropped. */
export const list = <Item extends v.GenericSchema<string, unknown>>(item: Item) =>
  v.pipe(
    v.array(v.string()),
    v.minLength(1, "is required"),
    v.transform((values) => values.flatMap((value) => value.split(",").map((each) => each.trim()))),
    v.maxLength(MAX_NAMES, `must have at most ${MAX_NAMES} items`),
    v.array(item),
    v.transform((items) => [...new Set(items)]),
  );

const LIMIT = "must be an integer from 1 to 100";
const AFTER = "must be 0 or an ID";

/** Query parameters that page through a list by key. */
export const paging = {
  limit: v.optional(
    v.pipe(SingleValue, v.regex(/^[1-9]\d*$/, LIMIT), v.toNumber(), v.minValue(1, LIMIT), v.maxValue(100, LIMIT)),
  ),
  after: v.optional(
    v.pipe(
      SingleValue,
      v.regex(/^(?:0|[1-9]\d*)$/, AFTER),
      v.toNumber(),
      v.minValue(0, AFTER),
      v.maxValue(Number.MAX_SAFE_INTEGER, AFTER),
    ),
    ["0"],
  ),
};
