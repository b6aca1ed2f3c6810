import * as fc from "fast-check";
import { wireBreak } from "./break.ts";
import type { Break, Fate, Kind } from "./break.ts";
import { resolved } from "./document.ts";
import type { Operation } from "./document.ts";
import type { Wire } from "./requests.ts";

/** Largest body that is read, where it has no file (interface §2.3). */
const MAX_BODY_BYTES = 256 * 1024;

/** Taken for JSON by parsers that are not strict. */
const NEARLY_JSON = [
  "NaN",
  "Infinity",
  "undefined",
  "{name:1}",
  "{'name':1}",
  '{"id":NaN}',
  '{"id":0x1}',
  '{"id":01}',
  '{"id":+1}',
  '{"id":.5}',
  '{"id":1.}',
  '{"name":"\t"}',
  '{"name":"\\x41"}',
  "{}//",
  "/**/{}",
  "[{},]",
  "\u00a0{}",
  ")]}',\n{}",
];

const OVERLONG = [0xc0, 0x80];
const SURROGATE = [0xed, 0xa0, 0x80];
const NO_UTF_8 = [[0xff], [0x80], OVERLONG, SURROGATE, [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];

const MEDIA_TYPES: Readonly<Record<string, readonly string[]>> = {
  "application/json": [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json-patch+json",
  ],
  "application/x-www-form-urlencoded": ["application/json", "text/plain"],
  "multipart/form-data": [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/mixed; boundary=b",
  ],
};

const NO_MEDIA_TYPES = ["application/xml", "json", "*/*", "/", ";", "null", "image/gif"];
const CODINGS = ["gzip", "br", "deflate", "gzip, gzip", "x", "identity, gzip", "*"];

/** Changes the body, as text or as bytes. */
function bodyBreak<Value>(
  kind: Kind,
  fate: Fate,
  values: fc.Arbitrary<Value>,
  change: (body: string, value: Value) => Wire["body"],
): Break {
  return wireBreak(kind, fate, values, ({ body, ...wire }, value) => {
    const changed = change(textOf(body), value);
    return { ...wire, ...(changed !== undefined && { body: changed }) };
  });
}

const textOf = (body: Wire["body"]) => (typeof body === "string" ? body : "");

function headerBreak(kind: Kind, fate: Fate, name: string, values: readonly string[]): Break {
  return wireBreak(kind, fate, fc.constantFrom(...values), (wire, value) => ({
    ...wire,
    headers: { ...wire.headers, [name]: value },
  }));
}

/** Once, without a choice. */
const once = fc.constant(undefined);

/** What can be wrong with how a body is written. */
export function framingBreaks({ path, method, content }: Operation): readonly Break[] {
  if (!content) {
    // GET cannot be sent with one.
    return method === "GET"
      ? []
      : [bodyBreak("a body that is not asked for", "served", fc.json(), (_, text) => text)];
  }
  const { type, types, required, schema } = content;
  const others = [...(MEDIA_TYPES[type] ?? []), ...NO_MEDIA_TYPES].filter(
    (other) => !types.includes(other),
  );
  const hasFile = "file" in (resolved(schema).properties ?? {});
  return [
    headerBreak("another media type", 415, "Content-Type", others),
    headerBreak("a content coding", 415, "Content-Encoding", CODINGS),
    headerBreak("a content coding that does nothing", "served", "Content-Encoding", ["identity"]),
    wireBreak("no media type", type === "application/json" ? "served" : "either", once, (wire) => {
      const { "Content-Type": _, ...headers } = wire.headers;
      return { ...wire, headers };
    }),
    ...(type === "application/json" ? jsonBreaks(path === "/pet" ? 405 : 400) : []),
    ...(type === "application/x-www-form-urlencoded" ? formBreaks : []),
    ...(type === "multipart/form-data" ? multipartBreaks(required) : []),
    ...(hasFile ? fileBreaks : []),
  ];
}

const NO_BODY = fc.constantFrom("", undefined);
const TOO_LARGE = fc.constantFrom(1, 10_000);

/** @param malformed the status for what is no JSON (interface §2.2) */
function jsonBreaks(malformed: Fate): readonly Break[] {
  return [
    bodyBreak("no body", malformed, NO_BODY, (_, body) => body),
    bodyBreak("JSON that is cut off", malformed, fc.nat(), (text, at) =>
      text.slice(0, 1 + (at % (text.length - 1))),
    ),
    bodyBreak("a trailing comma", malformed, once, (text) => `${text.slice(0, -1)},${text.at(-1)}`),
    bodyBreak("what is nearly JSON", malformed, fc.constantFrom(...NEARLY_JSON), (_, text) => text),
    bodyBreak(
      "more after the JSON",
      malformed,
      fc.constantFrom("{}", "x", "\0", ",", "]", "}", "\u{FEFF}"),
      (text, more) => text + more,
    ),
    bodyBreak(
      "a member that is there twice",
      "either",
      fc.constantFrom(
        '"id":"x","id":0',
        '"name":1',
        '"username":{}',
        '"__proto__":1,"__proto__":2',
      ),
      (text, members) => text.replace("{", `{${members},`),
    ),
    bodyBreak("a byte order mark", "served", once, (text) => `\u{FEFF}${text}`),
    bodyBreak(
      "JSON that is nested deeply",
      "either",
      fc.constantFrom(100, 5000, 100_000),
      (text, depth) => text.replace("{", `{"deep":${"[".repeat(depth)}${"]".repeat(depth)},`),
    ),
    bodyBreak(
      "bytes that are not UTF-8",
      malformed,
      fc.tuple(fc.nat(), fc.constantFrom(...NO_UTF_8)),
      (text, [at, wrong]) => {
        const bytes = [...new TextEncoder().encode(text)];
        return Uint8Array.from(bytes.toSpliced(at % (bytes.length + 1), 0, ...wrong));
      },
    ),
    bodyBreak("a body that is too large", 413, TOO_LARGE, (text, more) =>
      text.padStart(MAX_BODY_BYTES + more),
    ),
    headerBreak(
      "a charset that is not UTF-8",
      415,
      "Content-Type",
      ["utf-16", "iso-8859-1", "", "utf-8x"].map(
        (charset) => `application/json; charset=${charset}`,
      ),
    ),
    headerBreak("a media type that is written otherwise", "served", "Content-Type", [
      "application/json; charset=utf-8",
      'APPLICATION/JSON ;CHARSET="UTF-8"',
      "application/json;charset=UTF8; x=y",
      "application/json; x=y",
    ]),
  ];
}

const formBreaks: readonly Break[] = [
  // The document does not require one.
  bodyBreak("no body", "served", NO_BODY, (_, body) => body),
  bodyBreak(
    "a form that is garbled",
    "either",
    fc.constantFrom("%", "%ZZ=%", "&&==&", "name=%FF", "status=%ED%A0%80", "name", "{}", "=\0"),
    (text, garbage) => `${garbage}&${text}`,
  ),
  bodyBreak("a member that is there twice", "either", once, (text) => `${text}&name=A&name=B`),
  bodyBreak("a body that is too large", 413, TOO_LARGE, (text, more) =>
    `${text}&`.padEnd(MAX_BODY_BYTES + more, "x"),
  ),
];

const fileBreaks: readonly Break[] = [
  bodyBreak("a file that is sent as text", 400, once, (text) =>
    text.replace('; filename="rex.gif"', ""),
  ),
];

const multipartBreaks = (required: boolean): readonly Break[] => [
  bodyBreak("no body", required ? "refused" : "served", NO_BODY, (_, body) => body),
  bodyBreak("a form that is cut off", "either", fc.nat(), (text, at) =>
    text.slice(0, at % text.length),
  ),
  bodyBreak(
    "a form that is garbled",
    "either",
    fc.constantFrom(
      'name="',
      "form-data",
      "Content-Disposition",
      "\r\n\r\n",
      "--\r\n",
      '"rex.gif"',
    ),
    (text, part) => text.replace(part, "%\0"),
  ),
  headerBreak(
    "a boundary that is another, or none",
    "refused",
    "Content-Type",
    ["", ";", "; boundary=", "; boundary=another", '; boundary="'].map(
      (parameter) => `multipart/form-data${parameter}`,
    ),
  ),
];
