import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Conditions } from "../db/conditions.ts";
import type { AppEnv } from "./env.ts";
import { ApiError } from "./errors.ts";
import { isSafeMethod, withMetadata } from "./operation.ts";

const ENTITY_TAG = /(W\/)?"([^"]*)"/g;

const INVALID_PRECONDITION = [400, "Invalid precondition"] as const;

export const PRECONDITION_FAILED = [412, "Precondition failed"] as const;

/**
 * Rejects an `If-Match` or `If-None-Match` that could never match, such as `If-Match: 123`. For a read, compares both with the
 * `ETag` of the response; a write compares them in its WHERE clause. Hono's `etag()` does not support `If-Match`.
 */
export const conditional = withMetadata(
  { errors: [INVALID_PRECONDITION, PRECONDITION_FAILED] },
  createMiddleware(async (c, next) => {
    for (const name of ["If-Match", "If-None-Match"] as const) {
      if (parseTags(c, name)?.length === 0) {
        const message = 'must be * or have a tag in quotes, such as "7"';
        throw new ApiError(INVALID_PRECONDITION, [{ path: name, message }]);
      }
    }
    await next();
    const tag = isSafeMethod(c.req) ? c.res.headers.get("ETag") : null;
    if (tag === null) return;
    const match = parseTags(c, "If-Match") ?? "*";
    if (match !== "*" && !match.some(({ isWeak, text }) => !isWeak && tag === `"${text}"`)) {
      await c.res.body?.cancel();
      // Otherwise, Hono would add the headers of this response to those of the error.
      c.res = undefined;
      throw new ApiError(PRECONDITION_FAILED);
    }
    const noneMatch = parseTags(c, "If-None-Match") ?? [];
    if (noneMatch === "*" || noneMatch.some(({ text }) => tag === `"${text}"`)) {
      c.res = new Response(null, { status: 304 });
    }
  }),
);

/** Sets the `ETag` of a row. `no-transform`, because Cloudflare weakens the tag when it compresses. */
export function setETag(c: Context<AppEnv>, { version }: { readonly version: number }): void {
  c.header("ETag", `"${version}"`);
  c.header("Cache-Control", "private, no-cache, no-transform");
}

/** Sets `Cache-Control` where the route has not set it. */
export const defaultCacheControl = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "private, no-cache");
});

/** Returns the tags of a header, or "*". */
function parseTags(c: Context, name: "If-Match" | "If-None-Match") {
  const header = c.req.header(name)?.trim();
  if (header === undefined || header === "*") return header;
  return [...header.matchAll(ENTITY_TAG)].map(([, weak, text = ""]) => ({ isWeak: weak !== undefined, text }));
}

/** Returns the versions among the tags of a header, or "*". */
function toVersions(tags: ReturnType<typeof parseTags>): Conditions["match"] {
  if (tags === undefined || tags === "*") return tags;
  const numbers = tags.filter(({ text }) => /^[1-9]\d*$/.test(text)).map(({ text }) => Number(text));
  // JSON has no infinity: as `null`, it would make the SQL condition `null`.
  return numbers.filter(Number.isSafeInteger);
}

/** Returns the conditions of a write. Tags of `If-Match` compare strongly (RFC 9110, section 8.8.3.2). */
export function getConditions(c: Context<AppEnv>): Conditions {
  const match = parseTags(c, "If-Match");
  return {
    match: toVersions(match === "*" ? match : match?.filter(({ isWeak }) => !isWeak)),
    noneMatch: toVersions(parseTags(c, "If-None-Match")),
    owner: c.get("user")?.accountId,
  };
}

/** The three forms of an HTTP date (RFC 9110, section 5.6.7). */
const HTTP_DATE = new RegExp(
  [
    String.raw`^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$`,
    String.raw`^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$`,
    String.raw`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$`,
  ].join("|"),
);

/**
 * Returns `If-None-Match` or `If-Modified-Since` in a form that R2 accepts: R2 fails on some values that clients send.
 * `conditional` handles `If-Match`, and other conditions are ignored.
 */
export function getFileConditions(c: Context): Headers {
  const conditions = new Headers();
  const tags = c.req.header("If-None-Match")?.trim();
  const since = c.req.header("If-Modified-Since") ?? "";
  const time = HTTP_DATE.test(since) ? Date.parse(since) : Number.NaN;
  if (tags !== undefined) {
    conditions.set("If-None-Match", tags === "*" ? tags : (tags.match(ENTITY_TAG) ?? []).join(", "));
  } else if (!Number.isNaN(time)) {
    conditions.set("If-Modified-Since", new Date(time).toUTCString());
  }
  return conditions;
}
