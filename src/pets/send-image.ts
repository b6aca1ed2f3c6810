import type { Context } from "hono";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { DOWNLOAD, type ByteRange } from "./images.ts";

export const UNSATISFIABLE = [416, "Range not satisfiable"] as const;

/**
 * Sends a file of a pet, or a part of it. Browsers display only images: no script in an uploaded file runs on this origin.
 * @param file without a body if a condition of the request fails
 * @throws ApiError 416 if the part begins at or beyond the end, with the tag for `conditional`
 */
export async function sendImage(
  c: Context<AppEnv>,
  file: R2ObjectBody | R2Object,
  part: ByteRange | undefined,
): Promise<Response> {
  c.header("ETag", file.httpEtag);
  c.header("Cache-Control", "private, no-cache, no-transform");
  c.header("Content-Security-Policy", "sandbox");
  if (!("body" in file)) return c.body(null, 304);
  const { size } = file;
  if (part && part.length <= 0) {
    await file.body.cancel();
    throw new ApiError([...UNSATISFIABLE, { "Content-Range": `bytes */${size}`, ETag: file.httpEtag }]);
  }
  const type = file.httpMetadata?.contentType ?? DOWNLOAD;
  c.header("Content-Type", type);
  if (type === DOWNLOAD) c.header("Content-Disposition", "attachment");
  c.header("Accept-Ranges", "bytes");
  c.header("Content-Length", String(part?.length ?? size));
  if (!part) return c.body(file.body);
  c.header("Content-Range", `bytes ${part.offset}-${part.offset + part.length - 1}/${size}`);
  return c.body(file.body, 206);
}
