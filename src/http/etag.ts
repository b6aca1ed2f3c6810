import type { Named, Preconditions } from "../db/conditions.ts";

/** The strong entity tag of a version (RFC 9110 §8.8.3). */
export function entityTag(version: number): string {
  return `"${version}"`;
}

const VERSION = /^[1-9]\d*$/;

/** The runtime joins a repeated header with a comma. */
const ANY = /^\s*\*\s*(?:,\s*\*\s*)*$/;

/**
 * Reads the preconditions of a request on a resource whose entity tags are its versions. Those on a date are ignored:
 * no resource of the service has one (RFC 9110 §13.1.3, §13.1.4).
 */
export function readPreconditions(headers: Headers): Preconditions {
  const { allowed, excluded } = readTagPreconditions(headers);
  return { allowed: versionsOf(allowed), excluded: versionsOf(excluded) };
}

/** The same for a resource with any entity tags; each is the text between its quotes. */
export function readTagPreconditions(headers: Headers): Preconditions<string> {
  const ifMatch = headers.get("if-match");
  const ifNoneMatch = headers.get("if-none-match");
  return {
    // Strong comparison: weak tags name nothing (RFC 9110 §13.1.1).
    allowed: ifMatch === null ? "any" : tagsOf(ifMatch, (weak) => !weak),
    // Weak comparison (RFC 9110 §13.1.2).
    excluded: ifNoneMatch === null ? [] : tagsOf(ifNoneMatch, () => true),
  };
}

/**
 * The tags that a header names, each once: none if it is empty. A tag has no quote within it, so the quotes alone say
 * where each begins and ends.
 * @param counts whether a weak or a strong tag does
 */
function tagsOf(header: string, counts: (weak: boolean) => boolean): Named<string> {
  if (ANY.test(header)) return "any";
  const tags = new Set<string>();
  for (let begin = header.indexOf('"'); begin >= 0; begin = header.indexOf('"', begin)) {
    const end = header.indexOf('"', begin + 1);
    if (end < 0) break;
    if (counts(header.startsWith("W/", begin - 2))) tags.add(header.slice(begin + 1, end));
    begin = end + 1;
  }
  return [...tags];
}

/** Tags are compared octet by octet, so only the form that the service sends names a version. */
function versionsOf(tags: Named<string>): Named<number> {
  return tags === "any" ? tags : tags.filter((tag) => VERSION.test(tag)).map(Number);
}

/**
 * The status of a read under preconditions, which are looked at in this order (RFC 9110 §13.2.2). One tag in a header is
 * far cheaper to find than all.
 * @param tag the strong tag of what was found, with its quotes
 */
export function statusOfRead(headers: Headers, tag: string): 200 | 304 | 412 {
  const ifMatch = headers.get("if-match");
  const ifNoneMatch = headers.get("if-none-match");
  if (ifMatch !== null && !names(ifMatch, tag, (weak) => !weak)) return 412;
  return ifNoneMatch !== null && names(ifNoneMatch, tag, () => true) ? 304 : 200;
}

/** Whether a header names a tag. No other tag has it within, because it has quotes. */
function names(header: string, tag: string, counts: (weak: boolean) => boolean): boolean {
  if (ANY.test(header)) return true;
  for (let at = header.indexOf(tag); at >= 0; at = header.indexOf(tag, at + 1)) {
    if (counts(header.startsWith("W/", at - 2))) return true;
  }
  return false;
}
