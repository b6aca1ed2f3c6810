import type { Context } from "hono";
import type { AppEnv } from "./env.ts";
import { ApiError, type ErrorSpec } from "./errors.ts";

/** Returns a 413. @param limit in bytes */
export const tooLarge = (limit: number) => [413, `More than ${limit} bytes`] as const;

/** The limit for a body with one pet, order, or user, in bytes. */
export const SMALL_BODY = 16 * 1024;

/** The limit for an array of users, in bytes. */
export const LARGE_BODY = 256 * 1024;

/** Rejects a request whose `Content-Length` exceeds the limit. Throws `ApiError` 413. */
export function checkLength(c: Context, limit: number, error: ErrorSpec = tooLarge(limit)): void {
  if (Number(c.req.header("Content-Length")) > limit) throw new ApiError(error);
}

/**
 * Reads a body. Hono's `bodyLimit` reads a chunked body before the next middleware can reject its media type, and keeps the
 * reader, so that `drain` could not continue.
 * @param invalid thrown if the client cuts the body off
 * @throws ApiError 413 as soon as a chunked body exceeds the limit, or `invalid`
 */
export async function readBody(
  c: Context<AppEnv>,
  limit: number,
  invalid: ErrorSpec,
  error: ErrorSpec = tooLarge(limit),
): Promise<Uint8Array<ArrayBuffer>> {
  const { body, headers } = c.req.raw;
  if (!body) return new Uint8Array();
  try {
    if (!headers.has("Content-Length") || headers.has("Transfer-Encoding")) {
      const chunks: Uint8Array[] = [];
      c.set("receivedBody", chunks);
      return await readChunks(body, limit, chunks, error);
    }
    const bytes = new Uint8Array(await c.req.raw.arrayBuffer());
    c.set("receivedBody", [bytes]);
    return bytes;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(invalid, [{ path: "body", message: "was cut off" }]);
  }
}

/** Reads a body to its end. Throws `ApiError` as soon as it exceeds the limit. @param chunks where its chunks are kept */
export async function readChunks(
  body: ReadableStream<Uint8Array>,
  limit: number,
  chunks: Uint8Array[] = [],
  error: ErrorSpec = tooLarge(limit),
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return Buffer.concat(chunks);
      chunks.push(value);
      bytes += value.byteLength;
      if (bytes > limit) throw new ApiError(error);
    }
  } finally {
    reader.releaseLock();
  }
}
