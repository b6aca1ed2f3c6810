import * as fc from "fast-check";
import {
  BROKEN_ESCAPES,
  NO_INTEGERS,
  NO_USERNAMES,
  UNHAD_INTEGERS,
  words,
} from "../../spellings.ts";
import { READ_HEADERS, draftBreak, wireBreak } from "./break.ts";
import type { Break, Fate, Kind } from "./break.ts";
import { resolved, typesOf } from "./document.ts";
import type { Operation, Parameter, Schema } from "./document.ts";
import type { Query, Wire } from "./requests.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Once, without a choice. */
const once = fc.constant(undefined);

const NO_IMAGES = [...words("x.gif ..%2F7 %00 %20 GIF"), "x".repeat(4096), "x".repeat(5000)];

const GARBAGE = fc
  .oneof(
    fc.constantFrom(
      ...words(`" "" W/ "1 ,,, =;=; %00 %ZZ null 0 {} Bearer session session=%ZZ session="`),
      "",
      "*, x",
      "Basic %%%",
      "'; drop table pets; --",
      "x".repeat(8000),
    ),
    fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
  )
  // An asterisk is a condition that holds.
  .filter((value) => value.trim() !== "*");

const RANGES = [
  ...words("bytes bytes= bytes=- bytes=-0 bytes=9- bytes=5-2 bytes=0-0,2-3 lines=1-2 bytes=0x0-1"),
  "bytes=99999999999999999999-",
  "bytes=0-99999999999999999999",
  "bytes= 0-1",
];

const placed = ({ parameters }: Operation, where: Parameter["in"]) =>
  parameters.filter((parameter) => parameter.in === where);

/** Changes the path, not the query. */
function pathBreak<Value>(
  kind: Kind,
  fate: Fate,
  values: fc.Arbitrary<Value>,
  change: (path: string, value: Value) => string,
): Break {
  return wireBreak(kind, fate, values, (wire, value) => {
    const [path = "", ...query] = wire.path.split("?");
    return { ...wire, path: [change(path, value), ...query].join("?") };
  });
}

/** What can be wrong with a method and a path. */
export function pathBreaks(operation: Operation): readonly Break[] {
  const others = METHODS.filter((method) => !operation.methods.includes(method));
  return [
    ...placed(operation, "path").flatMap((parameter) => parameterBreaks(parameter)),
    pathBreak(
      "a path that goes on",
      "refused",
      fc.constantFrom("/x", "/x/y", "//x", "/7/8"),
      (path, more) => path + more,
    ),
    pathBreak(
      "a path that is unknown",
      404,
      fc.constantFrom("/v2", "/x", "/PET", "//"),
      (path, before) => before + path,
    ),
    pathBreak("a slash at the end", "served", once, (path) => `${path}/`),
    wireBreak("another method", 405, fc.constantFrom(...others), withMethod),
    ...(operation.method === "GET"
      ? [wireBreak("HEAD instead of GET", "served", once, (wire) => withMethod(wire, "HEAD"))]
      : []),
    wireBreak("OPTIONS", 204, once, (wire) => withMethod(wire, "OPTIONS")),
  ];
}

function withMethod({ body, ...wire }: Wire, method: string): Wire {
  // GET cannot be sent with a body.
  return { ...wire, method, ...(body !== undefined && method !== "GET" && { body }) };
}

function parameterBreaks({ name, schema }: Parameter): readonly Break[] {
  const breakBy = (kind: Kind, fate: Fate, values: readonly string[]) =>
    draftBreak(kind, fate, fc.constantFrom(...values), ({ path }, value) => ({
      path: { ...path, [name]: value },
    }));
  const another = "a path parameter of another form";
  return [
    ...(typesOf(schema).includes("integer")
      ? [
          breakBy(another, 400, NO_INTEGERS),
          breakBy("an id that nothing has", "refused", UNHAD_INTEGERS),
        ]
      : [
          name === "username"
            ? breakBy(another, 400, NO_USERNAMES)
            : breakBy(another, "refused", NO_IMAGES),
        ]),
    breakBy("an empty path parameter", "refused", [""]),
    draftBreak(
      "a broken escape in the path",
      400,
      fc.constantFrom(...BROKEN_ESCAPES),
      ({ path }, escape) => ({ path: { ...path, [name]: `${path[name]}${escape}` } }),
    ),
  ];
}

/** Adds a parameter to the query. */
const added = (kind: Kind, fate: Fate, pairs: Query) =>
  draftBreak(kind, fate, fc.constantFrom(...pairs), ({ query }, pair) => ({
    query: [...query, pair],
  }));

/** What can be wrong with a query. */
export function queryBreaks(operation: Operation): readonly Break[] {
  const parameters = placed(operation, "query");
  return [
    ...parameters.flatMap((parameter) => queryParameterBreaks(parameter)),
    added("a query parameter that nobody knows", "served", [
      ["unknown", "1"],
      ["__proto__", "x"],
      ["%00", "%00"],
      ["", ""],
      ["Status", "lost"],
      ["a[b]", "%F0%9F%90%B6"],
      ["x", "x".repeat(5000)],
    ]),
    added(
      "a broken escape in the query",
      parameters.length > 0 ? 400 : "served",
      BROKEN_ESCAPES.flatMap((escape): Query => [
        ["unknown", escape],
        [escape, ""],
      ]),
    ),
  ];
}

function queryParameterBreaks({ name, schema, required }: Parameter): readonly Break[] {
  const set = (kind: Kind, fate: Fate, values: readonly string[]) =>
    draftBreak(kind, fate, fc.constantFrom(...values), ({ query }, value) => ({
      query: [...query.filter(([other]) => other !== name), [name, value]],
    }));
  const isList = typesOf(schema).includes("array");
  return [
    ...(required
      ? [
          draftBreak("a required query parameter is left out", 400, once, ({ query }) => ({
            query: query.filter(([other]) => other !== name),
          })),
        ]
      : []),
    set("an empty query parameter", 400, [""]),
    draftBreak("a query parameter that is repeated", isList ? "served" : 400, once, ({ query }) => {
      const again = query.find(([other]) => other === name) ?? [name, "5"];
      return { query: [...query.filter(([other]) => other !== name), again, again] };
    }),
    set("a query parameter that does not fit", 400, misfits(schema)),
    set(
      "a broken escape in the query",
      400,
      BROKEN_ESCAPES.map((escape) => `1${escape}`),
    ),
  ];
}

function misfits(schema: Schema): readonly string[] {
  const { type, items = {}, minimum = 0, maximum = 0 } = schema;
  if (type === "integer") {
    const numbers = [minimum - 1, maximum + 1].map(String);
    return [...numbers, "1.5", "1e2", "abc", "%2B5", "+5", "5+", "0x1", "NaN", "05", "5%00", "1,2"];
  }
  if (type !== "array") return ["wrong", "%00", "x".repeat(5000)];
  const wrong = resolved(items).enum ? ["lost", "Sold", "%00"] : ["a%00", "x".repeat(4097)];
  return [...wrong, ...wrong.map((item) => `sold,${item}`), "sold,,pending", ",", "sold,"];
}

const UNREAD_HEADERS = [
  "Accept",
  "Accept-Encoding",
  "If-Modified-Since",
  "If-Unmodified-Since",
  "Origin",
  "X-Forwarded-For",
  "X-HTTP-Method-Override",
  "X-Unknown",
];

/** A condition that names nothing does not hold; a range may be unsatisfiable. */
const GARBLED: Readonly<Record<string, Fate>> = { "If-Match": "refused", Range: "either" };

/** What can be wrong with headers. */
export function headerBreaks(operation: Operation): readonly Break[] {
  const documented = new Set(placed(operation, "header").map(({ name }) => name));
  // Those of a body are broken with the body.
  const names = READ_HEADERS.filter((name) => !operation.content || !name.startsWith("Content-"));
  return [
    ...names.map((name) => {
      const fate = documented.has(name) ? (GARBLED[name] ?? "served") : "served";
      const values = name === "Range" ? fc.oneof(GARBAGE, fc.constantFrom(...RANGES)) : GARBAGE;
      return headerBreak(`a garbled ${name}`, fate, [name], values);
    }),
    headerBreak("a garbled header that nobody reads", "served", UNREAD_HEADERS, GARBAGE),
  ];
}

/** Sets one of these headers to one of these values. */
function headerBreak(
  kind: Kind,
  fate: Fate,
  names: readonly string[],
  values: fc.Arbitrary<string>,
): Break {
  return draftBreak(
    kind,
    fate,
    fc.tuple(fc.constantFrom(...names), values),
    ({ headers }, [name, value]) => ({ headers: { ...headers, [name]: value } }),
  );
}
