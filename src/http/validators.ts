/** The strong entity tag of a version (RFC 9110 §8.8.3). */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/** Versions that a conditional header names; `undefined`: any. */
export type Versions = readonly number[] | undefined;

const VERSION = /^[1-9]\d*$/;
const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Reads `If-Match`: strong comparison, so weak tags name nothing (RFC 9110 §13.1.1).
 * @returns the versions that may be changed, `undefined` where the header sets no condition
 */
export function parseIfMatch(header: string | null): Versions {
  if (header === null || header.trim() === "*") return undefined;
  return (
    [...header.matchAll(ENTITY_TAG)]
      .filter(([, weak]) => weak === undefined)
      .map(([, , tag = ""]) => tag)
      // Tags are compared octet by octet, so only the form that we give out names a version.
      .filter((tag) => VERSION.test(tag))
      .map(Number)
  );
}

/**
 * Whether `If-Match` names a resource by its entity tag, or is not sent: strong comparison, so neither a weak tag
 * nor an empty header names anything (RFC 9110 §13.1.1).
 * @param tag what stands between the quotes of the resource's strong entity tag
 */
export function matchesOne(header: string | null, tag: string): boolean {
  if (header === null || header.trim() === "*") return true;
  return opaqueTagsOf(header, "strong").includes(tag);
}

/**
 * What stands between the quotes of the entity tags in a header.
 * @param kind "strong" leaves weak tags out
 */
export function opaqueTagsOf(header: string, kind: "any" | "strong"): string[] {
  return [...header.matchAll(ENTITY_TAG)]
    .filter(([, weak]) => kind === "any" || weak === undefined)
    .map(([, , tag = ""]) => tag);
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
