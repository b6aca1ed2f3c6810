// JSON Schema has no checks in code, so each `v.check` of a schema has a pattern here. Patterns use only what ECMA-262
// (flag `u`), Python, Java and .NET read alike: no look-around, no `\d`, no `\p`.
import { MAX_ITEMS } from "../src/schemas.ts";

/**
 * What `URL.parse` takes for an http or https URL, absolute or relative, but for rare hosts: IPv4 addresses in other
 * notations, IPv6 addresses without `::`, names in other scripts or with symbols.
 * @param except characters that the URL must not have
 */
function urlPattern(except = ""): string {
  const raw = String.raw;
  const rest = raw`[^${except}\u0000]*`;
  const letters = raw`A-Za-z_\u00c0-\u024f\u0400-\u0481\u3041-\u3096\u3400-\u9fff\uac00-\ud7a3-`;
  // A last label of digits would make it an IPv4 address.
  const name = raw`(?:[0-9${letters}]*\.)*[${letters}][0-9${letters}]*\.?`;
  const byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  const ipv4 = raw`${byte}(?:\.${byte}){3}`;
  const group = "[0-9A-Fa-f]{1,4}";
  const ipv6 = raw`\[(?:${group}(?::${group}){0,2})?::(?:${group}(?::${group}){0,3})?\]`;
  const user = raw`(?:[^${except}\u0000-\u0020/?#\\@]*@)?`;
  const port = "(?::(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2})?)?";
  const host = raw`(?:[Hh][Tt][Tt][Pp][Ss]?:[/\\]*|[/\\]{2,})${user}(?:${name}|${ipv4}|${ipv6})${port}(?:[/?#\\]${rest}| *)`;
  const path = raw`[/\\](?:[^${except}/\\\t\n\r\u0000]${rest})?`;
  // Letters before a colon would be a scheme. Tabs and line breaks do not count.
  const word = raw`[A-Za-z][A-Za-z0-9+.-]*(?:[^${except}A-Za-z0-9+.:\t\n\r\u0000-]${rest})?`;
  const other = raw`[^${except}A-Za-z/\\\s\ufeff\u0000-\u0020]${rest}`;
  return `(?:${host}|${path}|${word}|${other})`;
}

const URL_OR_EMPTY = `^ *${urlPattern()}?$`;
const SEVERAL_URLS = `^ *${urlPattern(",")}(?:, *${urlPattern(",")})*$`;

const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;

/** The days of the Gregorian calendar. */
const DAY =
  "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))" +
  "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)";
const DIGITS_OF_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}";

/** By the message of a check: its pattern, made of the pattern that the schema has before it. */
const CHECKS: Readonly<Record<string, (before: string) => string>> = {
  "must be Unicode without U+0000": () => String.raw`^[^\u0000]*$`,
  // Only the string with several URLs has this check.
  [`must have at most ${MAX_ITEMS} URLs`]: () => SEVERAL_URLS,
  "must be http or https URLs, or relative ones": (before) => (before === SEVERAL_URLS ? before : URL_OR_EMPTY),
  "must not be empty or only white space": (before) => before,
  "must not have control characters": () => `^[^${CONTROL}]*[^\\s\\ufeff${CONTROL}][^${CONTROL}]*$`,
  "must be an ISO 8601 date-time such as 2026-11-21T09:30:00Z; seconds, fractions and the zone may be left out": (
    before,
  ) => {
    if (!before.includes(DIGITS_OF_DAY)) throw new Error("the pattern of a date-time has no day");
    return before.replace(DIGITS_OF_DAY, DAY);
  },
};

/** The pattern of a check. @throws Error if it has none */
export function patternOf(message: unknown, before = ""): string {
  const pattern = CHECKS[String(message)];
  if (!pattern) throw new Error(`openapi/patterns.ts has no pattern for "${String(message)}"`);
  return pattern(before);
}

/** A regular expression without `\d`, which in Python and .NET takes other digits too. */
export const portable = (source: string): string =>
  source.replaceAll(String.raw`[\d`, "[0-9").replaceAll(String.raw`\d`, "[0-9]");

/** One tag in a query: commas separate tags, and spaces around a tag are no part of it. */
export const TAG_NAME = String.raw`^[^,\u0000]*[^,\s\ufeff\u0000][^,\u0000]*$`;
