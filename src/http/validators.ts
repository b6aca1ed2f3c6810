import type { Preconditions, Versions } from "../db/conditions.ts";

/** The strong entity tag of a version (RFC 9110 §8.8.3). */
export function entityTag(version: number): string {
  return `"${version}"`;
}

const VERSION = /^[1-9]\d*$/;
const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/** A header that was sent twice comes joined by a comma. */
const ANY = /^\s*\*\s*(?:,\s*\*\s*)*$/;

/**
 * Reads the preconditions of a request. Those on a date are ignored: nothing that the service shows has one
 * (RFC 9110 §13.1.3, §13.1.4).
 */
export function readPreconditions(headers: Headers): Preconditions {
  const ifMatch = headers.get("if-match");
  const ifNoneMatch = headers.get("if-none-match");
  return {
    // Strong comparison: weak tags name nothing (RFC 9110 §13.1.1).
    allowed: ifMatch === null ? "any" : versionsOf(ifMatch, (weak) => !weak),
    // Weak comparison (RFC 9110 §13.1.2).
    excluded: ifNoneMatch === null ? [] : versionsOf(ifNoneMatch, () => true),
  };
}

/** The versions that a header names: none where it is empty. @param counts whether a weak or a strong tag does */
function versionsOf(header: string, counts: (weak: boolean) => boolean): Versions {
  if (ANY.test(header)) return "any";
  return (
    [...header.matchAll(ENTITY_TAG)]
      .filter(([, weak]) => counts(weak !== undefined))
      .map(([, , tag = ""]) => tag)
      // Tags are compared octet by octet, so only the form that we give out names a version.
      .filter((tag) => VERSION.test(tag))
      .map(Number)
  );
}

/** The status of a read under preconditions, which are looked at in this order (RFC 9110 §13.2.2). */
export function statusOfRead(
  { allowed, excluded }: Preconditions,
  version: number,
): 200 | 304 | 412 {
  if (!isNamed(version, allowed)) return 412;
  return isNamed(version, excluded) ? 304 : 200;
}

function isNamed(version: number, versions: Versions): boolean {
  return versions === "any" || versions.includes(version);
}

/**
 * Whether `If-None-Match` does not name this version, so that it is to be sent: weak comparison
 * (RFC 9110 §13.1.2).
 * @param version what stands between the quotes of the entity tag
 */
export function matchesNone(header: string | null, version: number | string): boolean {
  if (header === null) return true;
  if (header.trim() === "*") return false;
  return ![...header.matchAll(ENTITY_TAG)].some(([, , tag]) => tag === String(version));
}
