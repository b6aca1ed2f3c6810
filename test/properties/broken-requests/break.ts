import type * as fc from "fast-check";
import { wireOf } from "./requests.ts";
import type { Draft, Wire } from "./requests.ts";

/** Headers that are broken in every request that may have them, one by one. */
export const READ_HEADERS = [
  "If-Match",
  "If-None-Match",
  "Range",
  "x-d1-bookmark",
  "Authorization",
  "Cookie",
  "api_key",
  "Content-Type",
  "Content-Encoding",
] as const;

/** All the kinds of break. */
export const KINDS = [
  "a path that goes on",
  "a path that is unknown",
  "a slash at the end",
  "another method",
  "HEAD instead of GET",
  "OPTIONS",
  "an id that nothing has",
  "an empty path parameter",
  "a broken escape in the path",
  "a query parameter that nobody knows",
  "a broken escape in the query",
  "a required query parameter is left out",
  "an empty query parameter",
  "a query parameter that is repeated",
  "a query parameter that does not fit",
  "a path parameter of another form",
  "a body that is not asked for",
  "another media type",
  "a content coding",
  "a content coding that does nothing",
  "no media type",
  "no body",
  "JSON that is cut off",
  "a trailing comma",
  "what is nearly JSON",
  "more after the JSON",
  "a member that is there twice",
  "a byte order mark",
  "JSON that is nested deeply",
  "bytes that are not UTF-8",
  "a body that is too large",
  "a charset that is not UTF-8",
  "a media type that is written otherwise",
  "a form that is garbled",
  "a form that is cut off",
  "a file that is sent as text",
  "a boundary that is another, or none",
  "a required member is left out",
  "a member that nobody knows",
  "a scalar of another type",
  "an array where none may be",
  "an object where none may be",
  "null where none may be",
  "a value that its enum does not have",
  "a string that is too long",
  "a string with U+0000",
  "an empty string",
  "a string that its member does not allow",
  "a string with a lone surrogate",
  "a number out of its range",
  "a fraction",
  "a number that is huge",
  "a negative zero",
  "an integer that is written otherwise",
  "an array that is too long",
  "a file that is no image",
  "a garbled header that nobody reads",
  ...READ_HEADERS.map((name) => `a garbled ${name}` as const),
] as const;

export type Kind = (typeof KINDS)[number];

/**
 * The expected result of a broken request: "refused" with a 4xx, or exactly this status; "served" as if nothing were
 * broken; or "either" if the contract does not say.
 */
export type Fate = "refused" | "served" | "either" | 204 | 400 | 404 | 405 | 413 | 415;

/** A way to break a request in one place. */
export interface Break {
  readonly kind: Kind;
  readonly fate: Fate;
  /** One of the ways to do it. */
  readonly how: fc.Arbitrary<(draft: Draft) => Wire>;
}

/** Breaks a part of the draft, by one of these values. */
export function draftBreak<Value>(
  kind: Kind,
  fate: Fate,
  values: fc.Arbitrary<Value>,
  change: (draft: Draft, value: Value) => Partial<Draft>,
): Break {
  const how = values.map(
    (value) => (draft: Draft) => wireOf({ ...draft, ...change(draft, value) }),
  );
  return { kind, fate, how };
}

/** Breaks what is sent, by one of these values. */
export function wireBreak<Value>(
  kind: Kind,
  fate: Fate,
  values: fc.Arbitrary<Value>,
  change: (wire: Wire, value: Value) => Wire,
): Break {
  const how = values.map((value) => (draft: Draft) => change(wireOf(draft), value));
  return { kind, fate, how };
}
