// The headers that a rule can set or remove. Nothing that a rule writes may run in a browser, or act on a proxy.

/** The most headers of a rule, and the longest value. */
const MAX_HEADERS = 20;
const MAX_VALUE = 1024;

const STANDARD = [
  "content-type",
  "content-language",
  "etag",
  "last-modified",
  "cache-control",
  "expires",
  "age",
  "vary",
  "retry-after",
  "allow",
  "accept",
  "deprecation",
  "sunset",
  "ratelimit",
  "ratelimit-policy",
];

const EXTENSION = /^x-[\w!#$%&'*+.^`|~-]+$/;

/** Extensions that proxies and browsers act on, or that the service sets. */
const RESERVED =
  /^x-(?:(?:accel|lighttpd|litespeed|reproxy|envoy|appengine|archive|content|frame|forwarded|d1)-|sendfile|request-id$)/;

/** Printable ASCII without spaces at its ends. Workerd drops an empty header. */
const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/;

const MEDIA_TYPE =
  /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\,]*"))*$/;

/** What a page of this origin could load as a script or a style. */
const ACTIVE = /(?:java|ecma|j|live)script|css|^multipart\//i;

/** What a browser would show as a page. */
const PAGE = /html|xml/i;

/**
 * What is wrong with the headers of a rule, by name.
 * @param hasBody whether the rule has a body of its own
 */
export function faultsOfHeaders(
  headers: object,
  hasBody: boolean,
): [name: string, message: string][] {
  const entries = Object.entries(headers) as [string, unknown][];
  return entries.flatMap(([name, value], index) => {
    const message =
      index < MAX_HEADERS
        ? faultOf(name.toLowerCase(), value, hasBody)
        : `is one too many: a rule has at most ${MAX_HEADERS} headers`;
    return message === undefined ? [] : [[name, message]];
  });
}

function faultOf(name: string, value: unknown, hasBody: boolean): string | undefined {
  if (!STANDARD.includes(name) && (!EXTENSION.test(name) || RESERVED.test(name))) {
    return "is not a header that a rule can set";
  }
  if (value === null) return undefined;
  if (typeof value !== "string" || value.length > MAX_VALUE || !PRINTABLE.test(value)) {
    return `must be null, or at most ${MAX_VALUE} characters of printable ASCII without spaces at its ends`;
  }
  if (name !== "content-type") return undefined;
  const type = MEDIA_TYPE.exec(value)?.[1];
  if (type === undefined) return "must be a media type";
  if (ACTIVE.test(type)) return "must not be a script, a style or multipart";
  return !hasBody && PAGE.test(type)
    ? "can be HTML, SVG or XML only in a rule with a body"
    : undefined;
}
