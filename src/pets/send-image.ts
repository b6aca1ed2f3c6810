import type { Context } from "hono";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { PRECONDITION_FAILED, tagsToMatch } from "../http/etag.ts";
import { DOWNLOAD } from "./images.ts";

/**
 * Sends a file of a pet, or the part that `Range` asks for. Browsers show only images: whatever a client uploaded, no
 * script in it runs on this origin.
 * @param found what R2 gave for the conditions and the range of the request: without a body if a condition fails
 */
export function sendImage(c: Context<AppEnv>, found: R2ObjectBody | R2Object): Response {
  c.header("ETag", found.httpEtag);
  c.header("Cache-Control", "private, no-cache, no-transform");
  c.header("Content-Security-Policy", "sandbox");
  if (tagsToMatch(c)?.includes(found.etag) === false) throw new ApiError(PRECONDITION_FAILED);
  if (!("body" in found)) return c.body(null, 304);
  const type = found.httpMetadata?.contentType ?? DOWNLOAD;
  c.header("Content-Type", type);
  if (type === DOWNLOAD) c.header("Content-Disposition", "attachment");
  c.header("Accept-Ranges", "bytes");
  const { first, length } = partOf(found);
  c.header("Content-Length", String(length));
  if (length === found.size) return c.body(found.body);
  c.header("Content-Range", `bytes ${first}-${first + length - 1}/${found.size}`);
  return c.body(found.body, 206);
}

/** The part of a file that R2 gives: all of it, its end (`suffix`), or from an offset on. */
function partOf({ range, size }: R2ObjectBody): { first: number; length: number } {
  if (!range) return { first: 0, length: size };
  if ("suffix" in range && range.suffix !== undefined) {
    const length = Math.min(range.suffix, size);
    return { first: size - length, length };
  }
  const { offset = 0, length = size - offset } = range as { offset?: number; length?: number };
  return { first: offset, length: Math.min(length, size - offset) };
}
