import * as fc from "fast-check";
import { draftBreak } from "./break.ts";
import type { Break, Fate, Kind } from "./break.ts";
import type { Operation, Schema } from "./document.ts";
import { branchOf, membersOf, placesOf, withAt } from "./places.ts";
import type { Place } from "./places.ts";

/** JSON text that stands where a value should: for numbers that JavaScript would write otherwise. */
const raw = (text: string): unknown =>
  (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON(text);

/** Values of each type of JSON; strings that look like the other types. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [true, false],
  integer: [0, 1, 7, -1],
  string: ["", "1", "true", "null", "available", "[]", "{}"],
  array: [[], [1], ["a.png"], [{}], [null]],
  object: [{}, { 0: "a.png", length: 1 }, { id: 1 }, { toString: null }],
};

/** Strings that the schema may allow, but not the contract (interface §3 to §5). */
const DISALLOWED: Readonly<Record<string, readonly string[]>> = {
  photoUrls: ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "a b.png", "\t", "//["],
  shipDate: [
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01",
    "tomorrow",
    "1790000000",
  ],
  username: [" ", "\u3000", "login", "logout", "createWithArray", "createWithList", "a\u0007b"],
};

const LONE_SURROGATES = ["\uD800", "\uDFFF", "a\uDC00b", "\uD83D \uDC36"];
const WITH_NUL = ["\0", "a\0", "\0b", "a\0b"];
const NO_ENUM_VALUES = ["lost", "Sold", " sold", "sold ", "sold,pending", "placed;", "toString"];
const FRACTIONS = ["0.5", "1.5", "-0.1", "7.000001", "1e-7"];
const HUGE = ["1e400", "-1e400", "1e308", "9007199254740993", "18446744073709551616"];
const UNKNOWN_NAMES = ["unknown", "__proto__", "constructor", "toString", "Name", "ID", "🐶"];

type Change = (present: unknown) => unknown;

/** Changes the value at a place. */
function changed(kind: Kind, fate: Fate, place: Place, changes: fc.Arbitrary<Change>): Break {
  return draftBreak(kind, fate, changes, ({ content }, change) => ({
    content: withAt(content, place.steps, change),
  }));
}

/** Puts one of these values at a place; none: no break. */
function replaced(kind: Kind, fate: Fate, place: Place, values: readonly unknown[]): Break[] {
  if (values.length === 0) return [];
  const changes = values.map((value) => () => value);
  return [changed(kind, fate, place, fc.constantFrom(...changes))];
}

/** What can be wrong with the content of a body. */
export function contentBreaks({ content }: Operation): readonly Break[] {
  if (!content) return [];
  const isJson = content.type === "application/json";
  return placesOf(content.schema).flatMap((place) => [
    ...missing(place),
    ...unknownMembers(place, isJson),
    ...strings(place),
    ...(isJson ? [...types(place), ...unicode(place), ...numbers(place), ...lengths(place)] : []),
    ...files(place),
  ]);
}

function missing(place: Place): Break[] {
  if (!place.required || typeof place.steps.at(-1) !== "string") return [];
  return replaced("a required member is left out", "refused", place, [undefined]);
}

function unknownMembers(place: Place, isJson: boolean): Break[] {
  if (!place.types.has("object")) return [];
  const value = isJson ? fc.jsonValue() : fc.constantFrom("", "x", "null");
  const changes = fc
    .tuple(fc.constantFrom(...UNKNOWN_NAMES), value)
    .map(([name, unknown]): Change => (present) => ({ ...membersOf(present), [name]: unknown }));
  return [changed("a member that nobody knows", "served", place, changes)];
}

function types(place: Place): Break[] {
  const others = (...names: readonly string[]) =>
    names.filter((name) => !place.types.has(name)).flatMap((name) => SAMPLES[name] ?? []);
  const nullable = place.types.has("null") || (!place.required && place.name !== "");
  return [
    ...replaced(
      "a scalar of another type",
      "refused",
      place,
      others("boolean", "integer", "string"),
    ),
    ...replaced("an array where none may be", "refused", place, others("array")),
    ...replaced("an object where none may be", "refused", place, others("object")),
    ...replaced("null where none may be", "refused", place, nullable ? [] : [null]),
  ];
}

function strings(place: Place): Break[] {
  if (!place.types.has("string")) return [];
  const schema = branchOf(place, "string");
  if (schema.format === "binary") return [];
  const disallowed = DISALLOWED[place.name] ?? [];
  const { enum: values, maxLength } = schema;
  const tooLong = maxLength === undefined ? [] : [..."x🐶"].map((c) => c.repeat(maxLength + 1));
  return [
    ...replaced(
      "a value that its enum does not have",
      "refused",
      place,
      values ? NO_ENUM_VALUES : [],
    ),
    ...replaced("a string that is too long", "refused", place, tooLong),
    ...replaced("a string with U+0000", "refused", place, WITH_NUL),
    ...replaced("an empty string", allowsEmpty(schema) ? "served" : "refused", place, [""]),
    ...replaced("a string that its member does not allow", "refused", place, disallowed),
  ];
}

function allowsEmpty({ enum: values, pattern = "", minLength = 0 }: Schema): boolean {
  return minLength === 0 && !values && new RegExp(pattern, "u").test("");
}

/** Only JSON has an escape for it: a form would hold U+FFFD. */
function unicode(place: Place): Break[] {
  if (!place.types.has("string")) return [];
  return replaced("a string with a lone surrogate", "refused", place, LONE_SURROGATES);
}

function numbers(place: Place): Break[] {
  if (!place.types.has("integer")) return [];
  const { minimum = -Infinity, maximum = Infinity } = branchOf(place, "integer");
  const rewritten = ["", ".0", "e0", ".000E+0"].map((suffix): Change => (present) => {
    // Far from the ids that are there.
    const value = typeof present === "number" ? present : 5000;
    return raw(`${value}${suffix}`);
  });
  const zero = minimum <= 0 ? "served" : "refused";
  return [
    ...replaced("a number out of its range", "refused", place, [minimum - 1, maximum + 1]),
    ...replaced("a fraction", "refused", place, FRACTIONS.map(raw)),
    ...replaced("a number that is huge", "refused", place, HUGE.map(raw)),
    ...replaced("a negative zero", zero, place, [raw("-0")]),
    changed("an integer that is written otherwise", "served", place, fc.constantFrom(...rewritten)),
  ];
}

function lengths(place: Place): Break[] {
  const { maxItems } = branchOf(place, "array");
  if (maxItems === undefined) return [];
  const items = Array.from({ length: maxItems + 1 }, () => ({}));
  return replaced("an array that is too long", "refused", place, [items]);
}

/** Largest image that is taken. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

function files(place: Place): Break[] {
  if (branchOf(place, "string").format !== "binary") return [];
  const tooLarge = "GIF89a".padEnd(MAX_IMAGE_BYTES + 1);
  return [
    ...replaced("a file that is no image", 415, place, ["", "GIF", "<svg/>", "\0", "plain text"]),
    ...replaced("a body that is too large", 413, place, [tooLarge]),
  ];
}
