import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Conditions } from "../db/conditions.ts";
import type { AppEnv } from "./env.ts";
import { ApiError } from "./errors.ts";
import { withMetadata } from "./operation.ts";

const ENTITY_TAG = /(W\/)?"([^"]*)"/g;

const INVALID_PRECONDITION = [400, "Invalid precondition"] as const;

export const PRECONDITION_FAILED = [412, "Precondition failed"] as const;

/** Rejects an `If-Match` or `If-None-Match` that could never match, such as `If-Match: 123`. Hono's `etag()` returns 304. */
export const conditional = withMetadata(
  { errors: [INVALID_PRECONDITION, PRECONDITION_FAILED] },
  createMiddleware(async (c, next) => {
    for (const name of ["If-Match", "If-None-Match"]) {
      const value = c.req.header(name);
      if (value !== undefined && value.trim() !== "*" && value.search(ENTITY_TAG) < 0) {
        const message = 'must be * or have a tag in quotes, such as "7"';
        throw new ApiError(INVALID_PRECONDITION, [{ path: name, message }]);
      }
    }
    await next();
  }),
);

/** Sets the tag of the row in the answer. `no-transform`, because Cloudflare weakens the tag when it compresses. */
export function setETag(c: Context<AppEnv>, { version }: { readonly version: number }): void {
  c.header("ETag", `"${version}"`);
  c.header("Cache-Control", "private, no-cache, no-transform");
}

/** What an answer says to caches where its route says nothing else. */
export const cachePrivately = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "private, no-cache");
});

/** The tags of `If-Match`, one of which must be the current one. A weak tag never matches (RFC 9110, section 8.8.3.2). */
export function tagsToMatch(c: Context): readonly string[] | undefined {
  const header = c.req.header("If-Match")?.trim() ?? "*";
  if (header === "*") return undefined;
  return [...header.matchAll(ENTITY_TAG)].flatMap(([, weak, tag = ""]) => (weak ? [] : [tag]));
}

/**
 * The conditions of a request for a file, in a form that R2 takes: it fails on some headers that clients send. `If-Match` is
 * left to `tagsToMatch`, and others are ignored.
 */
export function fileConditions(c: Context): Headers {
  const conditions = new Headers();
  const tags = c.req.header("If-None-Match")?.trim();
  const since = c.req.header("If-Modified-Since") ?? "";
  if (tags !== undefined) {
    conditions.set("If-None-Match", tags === "*" ? tags : (tags.match(ENTITY_TAG) ?? []).join(", "));
  } else if (!Number.isNaN(Date.parse(since))) {
    conditions.set("If-Modified-Since", since);
  }
  return conditions;
}

/** The conditions of a change: its `If-Match`, and who must own the row. */
export function conditionsOf(c: Context<AppEnv>): Conditions {
  const versions = tagsToMatch(c)?.filter((tag) => /^[1-9]\d*$/.test(tag));
  return { versions: versions?.map(Number), owner: c.get("user")?.accountId };
}
