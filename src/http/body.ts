import { ApiError } from "./errors.ts";

/** Largest body that is read, in bytes (CONTRACT §2). */
export const MAX_BODY_BYTES = 256 * 1024;

const JSON_IN_UTF8 =
  /^application\/json\s*(?:;(?!.*charset)|;.*charset\s*=\s*"?utf-?8"?\s*(?:;|$)|$)/i;

/** What a body held, or why it holds no JSON. */
export type JsonBody = { readonly value: unknown } | { readonly malformed: string };

/**
 * Reads a request's body as JSON.
 * @throws ApiError 415 for another media type or a content coding, 413 for a body over `MAX_BODY_BYTES`
 */
export async function readJson(request: Request): Promise<JsonBody> {
  const type = request.headers.get("content-type");
  const coding = request.headers.get("content-encoding");
  if ((type !== null && !JSON_IN_UTF8.test(type)) || (coding !== null && coding !== "identity")) {
    throw ApiError.general(415);
  }
  const bytes = await readBytes(request);
  if (bytes.byteLength === 0) return { malformed: "is required" };
  try {
    // Fatal, or invalid UTF-8 would silently become U+FFFD. A byte order mark is ignored (RFC 8259 §8.1).
    return {
      value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)),
    };
  } catch (error) {
    return { malformed: error instanceof TypeError ? "is not UTF-8" : "is not JSON" };
  }
}

async function readBytes(request: Request): Promise<ArrayBuffer> {
  const announced = request.headers.get("content-length");
  if (announced !== null) {
    if (Number(announced) > MAX_BODY_BYTES) throw ApiError.general(413);
    return request.arrayBuffer();
  }
  if (request.body === null) return new ArrayBuffer(0);
  const bytes = new Uint8Array(MAX_BODY_BYTES);
  let length = 0;
  // Read to its end even when it is too long: the connection is of use only then.
  for await (const chunk of request.body) {
    if (length + chunk.byteLength <= MAX_BODY_BYTES) bytes.set(chunk, length);
    length += chunk.byteLength;
  }
  if (length > MAX_BODY_BYTES) throw ApiError.general(413);
  return bytes.buffer.slice(0, length);
}
