import { BASE_PATHS } from "../../http/base-path.ts";

/** Headers from the object of a sandbox to the Worker. No client gets them, and no rule sets them. */
export const INTERNAL = {
  /** The number of rows that a request for all data read or wrote. */
  rows: "x-rows",
  /** How many milliseconds the answer is delayed. */
  delay: "x-delay-ms",
  /** How many bytes of the body leave in a second. */
  pace: "x-bytes-per-second",
  /** The connection ends after this body. The value is the size of the whole body; "" if that is unknown. */
  break: "x-break",
} as const;

// The headers that a rule can set. Nothing that a rule writes may run in a browser, lead to another site or sandbox, or act
// on a proxy.

/** Limits on the headers of a rule: their number, the length of one value, and of all values together, in characters. */
const MAX_HEADERS = 20;
const MAX_VALUE = 1024;
const MAX_VALUES = 8 * 1024;

/** What is wrong with a value; `undefined` if nothing is. */
type Check = (value: string) => string | undefined;

const anything: Check = () => undefined;

const TOKEN = String.raw`[\w!#$%&'*+.^\x60|~-]+`;
/** Without commas and backslashes, at which browsers split the value of a header. */
const PARAMETER = String.raw`${TOKEN}=(?:${TOKEN}|"[\x20!#-+\--\[\]-~]*")`;
const MEDIA_TYPE = new RegExp(String.raw`^(${TOKEN}/${TOKEN})(?:\s*;\s*${PARAMETER})*$`);

/** What pages of this origin could load as a script or a style (https://mimesniff.spec.whatwg.org/#javascript-mime-type). */
const ACTIVE =
  /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:javascript1\.[0-5]|jscript|livescript)|text\/css|multipart\/.*)$/i;

const mediaType: Check = (value) => {
  const [, essence] = MEDIA_TYPE.exec(value) ?? [];
  return essence === undefined || ACTIVE.test(essence)
    ? "must be a media type, but no script, style or multipart"
    : undefined;
};

const BASES = BASE_PATHS.map((basePath) => `${basePath}/`);
const NOT_BELOW = `must begin with ${BASES.join(" or ")}, without dot segments, \\ and control characters`;

/** Some servers and clients resolve an escaped path, too. */
const unescaped = (text: string) =>
  text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

const target: Check = (value) => {
  const [path = ""] = value.split(/[?#]/);
  const isBelow =
    BASES.some((base) => value.startsWith(base)) &&
    !/(?:^|\/)\.\.?(?:[;/]|$)/.test(unescaped(path)) &&
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    !/[\\\0-\x1f\x7f]/.test(unescaped(value));
  return isBelow ? undefined : NOT_BELOW;
};

/** Other parameters could name a URL that a browser fetches. */
const LINK_PARAMETER = String.raw`(?:rel|title|type|hreflang)\s*=\s*(?:${TOKEN}|"[\x20!#-;=?-\[\]-~]*")`;
const LINKS = new RegExp(
  String.raw`^<[^<>]*>(?:\s*;\s*${LINK_PARAMETER})*(?:\s*,\s*<[^<>]*>(?:\s*;\s*${LINK_PARAMETER})*)*$`,
  "i",
);

const links: Check = (value) => {
  if (!LINKS.test(value)) return "must be links such as </v2/pet/1>; rel=next";
  return Array.from(value.matchAll(/<([^<>]*)>/g), ([, link = ""]) => target(link)).find(Boolean);
};

/** Headers that cannot harm a page, another sandbox or a proxy. */
const HARMLESS = [
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

/** The standard headers that a rule can set. */
const STANDARD = new Map<string, Check>([
  ["content-type", mediaType],
  ["location", target],
  ["content-location", target],
  ["link", links],
  ...HARMLESS.map((name) => [name, anything] as const),
]);

/** Names that begin with `x-`, which a rule can set except for those that mean something to programs on the way. */
const EXTENSION = new RegExp(`^x-${TOKEN}$`);
const RESERVED = new RegExp(
  `^(?:${[
    ...Object.values(INTERNAL),
    // The service.
    "x-request-id|x-d1-bookmark",
    // Browsers and crawlers.
    "x-(?:content|webkit)-.*|x-frame-options|x-xss-protection|x-dns-prefetch-control|x-ua-compatible",
    "x-permitted-cross-domain-policies|x-download-options|x-robots-tag",
    // Proxies.
    "x-(?:accel|appengine|envoy|forwarded|lighttpd|litespeed|reproxy)-.*|x-sendfile.*|x-archive-files",
  ].join("|")})$`,
);

const checkOf = (name: string): Check | undefined =>
  STANDARD.get(name) ?? (EXTENSION.test(name) && !RESERVED.test(name) ? anything : undefined);

/** Workerd drops an empty header. */
const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/;

const isValue = (value: unknown): value is string | null =>
  value === null ||
  (typeof value === "string" && value.length <= MAX_VALUE && PRINTABLE.test(value));

const NO_VALUE = `must be null, or at most ${MAX_VALUE} characters of printable ASCII without spaces at its ends`;

const TOO_MANY = `must be at most ${MAX_HEADERS} headers, whose values have at most ${MAX_VALUES} characters in all`;

/** What is wrong with the headers of a rule, by name. The name "" stands for all of them. */
export function wrongHeaders(headers: object): [name: string, message: string][] {
  const entries = Object.entries(headers);
  const values = entries.flatMap(([, value]) => (isValue(value) ? (value ?? "") : []));
  if (entries.length > MAX_HEADERS || values.join("").length > MAX_VALUES) return [["", TOO_MANY]];
  const names = new Set<string>();
  return entries.flatMap<[string, string]>(([given, value]) => {
    const name = given.toLowerCase();
    const message = names.has(name) ? "is given twice" : wrongIn(name, value);
    names.add(name);
    return message === undefined ? [] : [[given, message]];
  });
}

function wrongIn(name: string, value: unknown): string | undefined {
  const check = checkOf(name);
  if (!check) return "is not a header that a rule can set";
  if (!isValue(value)) return NO_VALUE;
  return value === null ? undefined : check(value);
}

/** The value as it is sent: links stay in their sandbox. @param storePath of the sandbox */
export function placed(name: string, value: string, storePath: string): string {
  const check = STANDARD.get(name);
  if (check === target) return storePath + value;
  return check === links ? value.replaceAll("<", `<${storePath}`) : value;
}
