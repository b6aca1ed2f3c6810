// The ways to break the body of a request in one place, and what must come of it. What only one operation refuses, every
// way to write what is no JSON, no form or no media type, and what is wrong in a path, a query or a header, has tests of
// its own: test/http, test/pet, test/store, test/user.
import * as fc from "fast-check";
import { words } from "../../spellings.ts";
import { branchesOf, typesOf } from "./document.ts";
import type { Operation } from "./document.ts";
import type { Schema } from "../../openapi.ts";
import { wireOf } from "./requests.ts";
import type { Draft, Wire } from "./requests.ts";

/**
 * The expected result of a broken request: "refused" with a 4xx, or exactly this status; "served" as if nothing were
 * broken; or "either" if the contract does not say.
 */
export type Fate = "refused" | "served" | "either" | number;

/** A way to break a request. */
export interface Break {
  readonly kind: string;
  readonly fate: Fate;
  /** One of the ways to do it. */
  readonly how: fc.Arbitrary<(draft: Draft) => Wire>;
}

/** Some values to choose from. */
type Values<Value> = fc.Arbitrary<Value> | readonly Value[];

const oneOf = <Value>(values: Values<Value>): fc.Arbitrary<Value> =>
  values instanceof fc.Arbitrary ? values : fc.constantFrom(...values);

/** Breaks a part of the draft, by one of these values. */
const draftBreak = <Value>(
  kind: string,
  fate: Fate,
  values: Values<Value>,
  change: (draft: Draft, value: Value) => Partial<Draft>,
): Break => ({
  kind,
  fate,
  how: oneOf(values).map((value) => (draft) => wireOf({ ...draft, ...change(draft, value) })),
});

/** Breaks what is sent, by one of these values. */
const wireBreak = <Value>(
  kind: string,
  fate: Fate,
  values: Values<Value>,
  change: (wire: Wire, value: Value) => Partial<Wire>,
): Break => ({
  kind,
  fate,
  how: oneOf(values).map((value) => (draft) => {
    const wire = wireOf(draft);
    return { ...wire, ...change(wire, value) };
  }),
});

/** Changes the body as text. */
const bodyBreak = <Value>(
  kind: string,
  fate: Fate,
  values: Values<Value>,
  change: (body: string, value: Value) => Wire["body"],
): Break =>
  wireBreak(kind, fate, values, ({ body }, value) => ({
    body: change(typeof body === "string" ? body : "", value),
  }));

/** The ways to break a request of an operation, by kind. */
export const kindsOf = (operation: Operation): readonly (readonly Break[])[] => [
  ...Map.groupBy(
    [...bodyBreaks(operation), ...contentBreaks(operation)],
    ({ kind }) => kind,
  ).values(),
];

const NO_UTF_8 = [[0xff], [0x80], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]];

/** What can be wrong with how a body is written; the rest of it is in test/http/bodies.test.ts and with each form. */
function bodyBreaks({ path, method, content }: Operation): readonly Break[] {
  if (!content) {
    // GET cannot be sent with one.
    return method === "GET" ? [] : [bodyBreak("a body", "served", fc.json(), (_, text) => text)];
  }
  // interface §2.2
  const malformed = content.type !== "application/json" ? "either" : path === "/pet" ? 405 : 400;
  return [
    wireBreak("a content coding", 415, words("gzip br x *"), ({ headers }, coding) => ({
      headers: { ...headers, "Content-Encoding": coding },
    })),
    bodyBreak("a body that is cut off", malformed, fc.nat(), (text, at) =>
      text.slice(0, 1 + (at % (text.length - 1))),
    ),
    bodyBreak(
      "a body with other bytes",
      malformed,
      fc.tuple(fc.nat(), fc.constantFrom(...NO_UTF_8)),
      (text, [at, wrong]) => {
        const bytes = [...new TextEncoder().encode(text)];
        return Uint8Array.from(bytes.toSpliced(at % (bytes.length + 1), 0, ...wrong));
      },
    ),
  ];
}

/** A value in a body, there or not. */
interface Place {
  /** The member it is, or is an item of; empty for the whole body. */
  readonly name: string;
  /** From the body to it; a number for the first item of an array. */
  readonly steps: readonly (string | 0)[];
  readonly required: boolean;
  readonly types: ReadonlySet<string>;
  readonly branches: readonly Schema[];
}

/** Every place that a schema has. */
function placesOf(schema: Schema, place?: Partial<Place>): readonly Place[] {
  const { name = "", steps = [], required = true } = place ?? {};
  const branches = branchesOf(schema);
  const within = branches.flatMap(({ items, properties = {}, required: names = [] }) => [
    ...(items ? placesOf(items, { name, steps: [...steps, 0] }) : []),
    ...Object.entries(properties).flatMap(([member, inner]) =>
      placesOf(inner, {
        name: member,
        steps: [...steps, member],
        required: names.includes(member),
      }),
    ),
  ]);
  return [{ name, steps, required, types: new Set(typesOf(schema)), branches }, ...within];
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The members of an object; none of anything else. */
const membersOf = (value: unknown): object =>
  typeof value === "object" && value !== null && !isArray(value) ? value : {};

/** The value with another one at a place; what is missing on the way is made. */
function withAt(
  value: unknown,
  [step, ...rest]: Place["steps"],
  change: (present: unknown) => unknown,
): unknown {
  if (step === undefined) return change(value);
  if (step === 0) {
    const [first, ...others] = isArray(value) ? value : [];
    return [withAt(first, rest, change), ...others];
  }
  const members = membersOf(value);
  return { ...members, [step]: withAt(Reflect.get(members, step), rest, change) };
}

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

const UNKNOWN_NAMES = words("unknown __proto__ constructor toString Name ID 🐶");
/** In JSON only: a form would hold U+FFFD. */
const LONE_SURROGATES = ["\uD800", "\uDFFF", "a\uDC00b", "\uD83D \uDC36"];

/** What can be wrong with the content of a body. */
function contentBreaks({ content }: Operation): readonly Break[] {
  if (!content) return [];
  const isJson = content.type === "application/json";
  return placesOf(content.schema).flatMap((place) => {
    const { name, steps, required, types, branches } = place;
    const changed = (kind: string, fate: Fate, changes: Values<(present: unknown) => unknown>) =>
      draftBreak(kind, fate, changes, (draft, change) => ({
        content: withAt(draft.content, steps, change),
      }));
    const replaced = (kind: string, values: readonly unknown[], fate: Fate = "refused") =>
      values.length === 0
        ? []
        : [
            changed(
              kind,
              fate,
              values.map((value) => () => value),
            ),
          ];
    const branch = (type: string): Schema | undefined =>
      branches.find(({ type: stated = [] }) => stated.includes(type));
    const [string, integer] = [branch("string"), branch("integer")];
    const isFile = string?.format === "binary";
    const breaks = [
      ...replaced(
        "a required member is left out",
        required && name && steps.at(-1) ? [undefined] : [],
      ),
      ...(types.has("object")
        ? [
            changed(
              "a member that nobody knows",
              "served",
              fc
                .tuple(
                  fc.constantFrom(...UNKNOWN_NAMES),
                  isJson ? fc.jsonValue() : fc.constant("x"),
                )
                .map(([unknown, value]) => (present) => ({
                  ...membersOf(present),
                  [unknown]: value,
                })),
            ),
          ]
        : []),
      ...(string && !isFile ? stringBreaks(string).flatMap((each) => replaced(...each)) : []),
      ...replaced(
        "a file that is no image",
        isFile ? ["GIF", "<svg/>", "\0", "text"] : [],
        "served",
      ),
      ...replaced("an empty file", isFile ? [""] : []),
      ...replaced(
        "a file that is too large",
        isFile ? ["GIF89a".padEnd(5 * 1024 * 1024 + 1)] : [],
        413,
      ),
    ];
    if (!isJson) return breaks;
    const { maxItems } = branch("array") ?? {};
    return [
      ...breaks,
      ...["boolean", "integer", "string", "array", "object"]
        .filter((type) => !types.has(type))
        .flatMap((type) => replaced(`another type: ${type}`, SAMPLES[type] ?? [])),
      ...replaced("null", types.has("null") || (!required && name) ? [] : [null]),
      ...replaced("a lone surrogate", string ? LONE_SURROGATES : []),
      ...(integer ? integerBreaks(integer).flatMap((each) => replaced(...each)) : []),
      ...(integer
        ? [
            changed(
              "an integer that is written otherwise",
              "served",
              ["", ".0", "e0", ".000E+0"].map(
                // 5000 is far from the ids that are there.
                (suffix) => (present) =>
                  raw(`${typeof present === "number" ? present : 5000}${suffix}`),
              ),
            ),
          ]
        : []),
      ...replaced(
        "too many items",
        maxItems ? [Array.from({ length: maxItems + 1 }, () => ({}))] : [],
      ),
    ];
  });
}

type Replacement = [kind: string, values: readonly unknown[], fate?: Fate];

function stringBreaks(schema: Schema): Replacement[] {
  const { enum: values, maxLength, pattern = "", minLength = 0 } = schema;
  const allowsEmpty = minLength === 0 && !values && new RegExp(pattern, "u").test("");
  return [
    ["no value of its enum", values ? ["lost", "Sold", " sold", "sold,pending", "toString"] : []],
    ["a string that is too long", maxLength ? [..."x🐶"].map((c) => c.repeat(maxLength + 1)) : []],
    ["a string with U+0000", ["\0", "a\0", "\0b", "a\0b"]],
    ["an empty string", [""], allowsEmpty ? "served" : "refused"],
  ];
}

function integerBreaks({ minimum = -Infinity, maximum = Infinity }: Schema): Replacement[] {
  return [
    ["a number out of its range", [minimum - 1, maximum + 1]],
    ["a fraction", words("0.5 1.5 -0.1 7.000001 1e-7").map(raw)],
    ["a huge number", words("1e400 -1e400 1e308 9007199254740993 18446744073709551616").map(raw)],
    ["a negative zero", [raw("-0")], minimum <= 0 ? "served" : "refused"],
  ];
}
