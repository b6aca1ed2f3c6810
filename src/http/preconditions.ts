import { ApiError } from "./errors.ts";

/** The entity tags that a header names. */
type Named<Tag> = readonly Tag[] | "any";

/** The preconditions of a request (RFC 9110 §13.1). */
export interface Preconditions<Tag = number> {
  /** `If-Match`: the resource must have one of these tags. */
  readonly allowed: Named<Tag>;
  /** `If-None-Match`: the resource must have none of these tags. */
  readonly excluded: Named<Tag>;
}

/** Preconditions that every resource meets. */
export const UNCONDITIONAL: Preconditions = { allowed: "any", excluded: [] };

/** The most entity tags in a header. Without a limit, 128 KB of headers could have far more. */
const MAX_TAGS = 100;

/** The strong entity tag of a version (RFC 9110 §8.8.3). */
export function entityTag(version: number): string {
  return `"${version}"`;
}

const VERSION = /^[1-9]\d*$/;
const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/** The runtime joins a repeated header with a comma. */
const ANY = /^\s*\*\s*(?:,\s*\*\s*){0,99}$/;

/**
 * Reads the preconditions for a resource whose entity tags are its versions. Dates are ignored, because no resource has a
 * modification date (RFC 9110 §13.1.3, §13.1.4).
 * @throws ApiError 400 if a header lists too many tags
 */
export function readPreconditions(headers: Headers): Preconditions {
  const { allowed, excluded } = readTagPreconditions(headers);
  return { allowed: versionsOf(allowed), excluded: versionsOf(excluded) };
}

/** Reads the preconditions for a resource with other entity tags; each is the text between its quotes. */
export function readTagPreconditions(headers: Headers): Preconditions<string> {
  return {
    // Strong comparison: a weak tag never matches (RFC 9110 §13.1.1).
    allowed: tagsOf(headers, "If-Match", false) ?? "any",
    // Weak comparison (RFC 9110 §13.1.2).
    excluded: tagsOf(headers, "If-None-Match", true) ?? [],
  };
}

/** The tags in a header: an empty list if it is empty, `undefined` if it is absent. */
function tagsOf(headers: Headers, name: string, withWeak: boolean): Named<string> | undefined {
  const header = headers.get(name);
  if (header === null) return undefined;
  if (ANY.test(header)) return "any";
  const tags = header
    .matchAll(ENTITY_TAG)
    .take(MAX_TAGS + 1)
    .toArray();
  if (tags.length > MAX_TAGS) {
    const message = `must have at most ${MAX_TAGS} entity tags`;
    throw new ApiError([400, "Invalid precondition"], { errors: [{ path: name, message }] });
  }
  return tags.filter(([, weak]) => withWeak || !weak).map(([, , tag = ""]) => tag);
}

/** Tags are compared byte by byte, so only tags that the service could have sent name a version. */
function versionsOf(tags: Named<string>): Named<number> {
  return tags === "any" ? tags : tags.filter((tag) => VERSION.test(tag)).map(Number);
}

/** The status of a read: checks the preconditions in the order of RFC 9110 §13.2.2. */
export function statusOfRead<Tag>(
  { allowed, excluded }: Preconditions<Tag>,
  tag: Tag,
): 200 | 304 | 412 {
  const isNamed = (tags: Named<Tag>) => tags === "any" || tags.includes(tag);
  if (!isNamed(allowed)) return 412;
  return isNamed(excluded) ? 304 : 200;
}
