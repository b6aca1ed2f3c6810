import * as v from "valibot";
import { Printable, expected, isObject, issueAt } from "../../http/schemas.ts";

/** The maximum number of names in such an object. */
const MAX_NAMES = 20;

/**
 * An object of texts, or `null`, by name. Unlike `v.record`, it validates names such as `constructor`.
 * @param isHeader whether names that differ only in case are the same
 */
export const textsByName = (name: v.GenericSchema<string>, text: v.GenericSchema<string>, isHeader: boolean) =>
  v.pipe(
    v.custom<Record<string, string | null>>(isObject, expected("an object")),
    v.check((texts) => Object.keys(texts).length <= MAX_NAMES, `must have at most ${MAX_NAMES} names`),
    v.rawCheck(({ dataset, addIssue }) => {
      const texts = dataset.typed ? dataset.value : {};
      const seen = new Set<string>();
      for (const [key, value] of Object.entries(texts)) {
        const isRepeated = isHeader && seen.size === seen.add(key.toLowerCase()).size;
        const [issue] =
          v.safeParse(name, key).issues ?? (value === null ? [] : (v.safeParse(text, value).issues ?? []));
        const message = issue?.message ?? (isRepeated ? "is repeated with other capitalization" : undefined);
        if (message !== undefined) addIssue(issueAt(message, texts, key));
      }
    }),
  );

// The headers that a rule can set or remove. No rule may run a script in a browser, or instruct a proxy.

const STANDARD =
  /^(?:content-(?:type|language)|etag|last-modified|cache-control|expires|age|vary|retry-after|allow|accept|deprecation|sunset|ratelimit(?:-policy)?)$/i;

const EXTENSION = /^x-[\w!#$%&'*+.^`|~-]+$/i;

/** Extensions that proxies and browsers act on, or that the service sets. */
const RESERVED =
  /^x-(?:(?:accel|lighttpd|litespeed|reproxy|envoy|appengine|archive|content|frame|forwarded|d1)-|sendfile|request-id$)/i;

const Name = v.pipe(
  v.string(),
  v.check(
    (name) => STANDARD.test(name) || (EXTENSION.test(name) && !RESERVED.test(name)),
    "is not a header that a rule can set",
  ),
);

const Value = v.pipe(Printable, v.maxLength(1024, "must have at most 1024 characters"));

/** The headers that a rule sets. `null` removes a header. */
export const RuleHeaders = textsByName(Name, Value, true);

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\,]*"))*$/;

/** Whether a media type is neither a script nor a style sheet, nor a page without a body. `null` removes the header. */
function isInert(type: string | null, hasBody: boolean): boolean {
  if (type === null) return true;
  const [essence = ""] = type.split(";");
  const isActive = /script|css|xsl|^multipart\//i.test(essence);
  return MEDIA_TYPE.test(type) && !isActive && (hasBody || !/html|xml/i.test(essence));
}

/** Whether no browser runs a response with these headers. */
export const areInert = (headers: Readonly<Record<string, string | null>>, hasBody: boolean): boolean =>
  Object.entries(headers).every(([name, value]) => !/^content-type$/i.test(name) || isInert(value, hasBody));
