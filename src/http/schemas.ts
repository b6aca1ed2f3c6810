import * as v from "valibot";

/** The longest string in a body, in Unicode code points. */
const MAX_TEXT = 4096;

/** The most items of an array in a body. */
export const MAX_ITEMS = 100;

/** The message for a value of the wrong type: what it must be, and what it is. */
export const expected =
  (what: string) =>
  ({ input }: { readonly input: unknown }) =>
    input === undefined ? "is required" : `must be ${what}, not ${nameOfType(input)}`;

function nameOfType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** To valibot, an array is an object too: this stands before a `v.object` that must not take one. */
const notArray = <Input>() => v.custom<Input>((input) => !Array.isArray(input), expected("an object"));
export const NotArray = notArray<unknown>();

/** An object with these members that is no array. @param what it is, for the message */
export function objectOf<const Entries extends v.ObjectEntries>(entries: Entries, what = "an object") {
  const members = v.object(entries, expected(what));
  return v.pipe(notArray<v.InferInput<typeof members>>(), members);
}

// A check is code. What the documents can say of it stands beside it, as `metadata`: members of its JSON Schema. Patterns use
// only what ECMA-262, Python, Java and .NET read alike: no look-around, no `\p`.

/** Unicode that SQLite stores unchanged. */
export const Text = v.pipe(
  v.string(expected("a string")),
  v.check((text) => text.isWellFormed() && !text.includes("\0"), "must be Unicode without U+0000"),
  v.metadata({ pattern: String.raw`^[^\u0000]*$` }),
  v.maxCodePoints(MAX_TEXT, `must have at most ${MAX_TEXT} characters`),
);

export const NonEmptyText = v.pipe(Text, v.nonEmpty("must not be empty"));

/** An integer that JSON carries exactly (RFC 8259, section 6). */
export const Integer = v.pipe(
  v.number(expected("an integer")),
  v.safeInteger("must be an integer between -9007199254740991 and 9007199254740991"),
);

const ID_MESSAGE = "must be an integer from 1 to 9007199254740991";

const idFrom = (least: number) =>
  v.pipe(v.number(expected("an integer")), v.safeInteger(ID_MESSAGE), v.minValue(least, ID_MESSAGE));

/** The id of a stored resource, in a body. */
export const Id = idFrom(1);

/** The id of a new resource. Absent, `null` and 0 ask the service to generate one. */
export const NewId = v.pipe(
  v.nullish(idFrom(0), null),
  v.transform((id) => id || null),
);

/** The id in a path: a canonical decimal integer. One beyond 2^53 is rounded to a number that no resource has. */
export const PathId = v.pipe(
  v.string(),
  v.regex(/^(?:0|-?[1-9]\d*)$/, "must be an integer"),
  v.toNumber(),
  // Other integers are 404.
  v.metadata({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
);

/** A query parameter that is given once. */
export const Once = v.pipe(
  v.array(v.string()),
  v.length(1, "must be given once"),
  v.transform(([value = ""]) => value),
);

/** The most items of a list in a query. */
const MAX_NAMES = 20;

/** A list in a query: separated by commas, repeated, or both. Each item once. */
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
const AFTER = "must be 0 or an id";

/** Query parameters that page through a list by key. */
export const paging = {
  limit: v.optional(
    v.pipe(Once, v.regex(/^[1-9]\d*$/, LIMIT), v.toNumber(), v.minValue(1, LIMIT), v.maxValue(100, LIMIT)),
  ),
  after: v.optional(
    v.pipe(
      Once,
      v.regex(/^(?:0|[1-9]\d*)$/, AFTER),
      v.toNumber(),
      v.minValue(0, AFTER),
      v.maxValue(Number.MAX_SAFE_INTEGER, AFTER),
    ),
    ["0"],
  ),
};
