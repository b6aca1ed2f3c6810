import { ApiError } from "./errors.ts";

/** Largest body that is read where the operation says nothing else, in bytes (CONTRACT §2). */
export const MAX_BODY_BYTES = 256 * 1024;

/** How a body is written. */
export type BodyFormat = "json" | "form" | "multipart";

const JSON_IN_UTF8 =
  /^application\/json\s*(?:;(?!.*charset)|;.*charset\s*=\s*"?utf-?8"?\s*(?:;|$)|$)/i;
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data\s*;/i;
const MEDIA_TYPES = { json: JSON_IN_UTF8, form: FORM, multipart: MULTIPART };

/** What a body held, or what is wrong with it. */
export type Body = { readonly value: unknown } | { readonly malformed: string };

/**
 * Reads a request's body: JSON, or the fields of a form by name (each a string or a `File`).
 * @param maxBytes the largest body that is read
 * @throws ApiError 415 for another media type or a content coding, 413 for a larger body
 */
export async function readBody(
  request: Request,
  format: BodyFormat,
  maxBytes: number,
): Promise<Body> {
  const type = request.headers.get("content-type") || null;
  const coding = request.headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if ((type !== null && !MEDIA_TYPES[format].test(type)) || coding !== "identity") {
    throw ApiError.general(415);
  }
  const bytes = await readBytes(request, maxBytes);
  return format === "json" ? parseJson(bytes) : parseForm(bytes, type);
}

/** Fatal, or invalid UTF-8 would silently become U+FFFD. A byte order mark is ignored (RFC 8259 §8.1). */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

function parseJson(bytes: ArrayBuffer): Body {
  if (bytes.byteLength === 0) return { malformed: "is required" };
  try {
    return { value: JSON.parse(UTF_8.decode(bytes)) };
  } catch (error) {
    return { malformed: error instanceof TypeError ? "is not UTF-8" : "is not JSON" };
  }
}

async function parseForm(bytes: ArrayBuffer, type: string | null): Promise<Body> {
  if (bytes.byteLength === 0) return { value: {} };
  try {
    const headers = { "Content-Type": type ?? "application/x-www-form-urlencoded" };
    return { value: Object.fromEntries(await new Response(bytes, { headers }).formData()) };
  } catch {
    return { malformed: "is not a form" };
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<ArrayBuffer> {
  const announced = request.headers.get("content-length");
  if (announced !== null) {
    if (Number(announced) > maxBytes) throw ApiError.general(413);
    return request.arrayBuffer();
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Read to its end even when it is too long: the connection is of use only then.
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length <= maxBytes) chunks.push(chunk);
  }
  if (length > maxBytes) throw ApiError.general(413);
  return new Blob(chunks).arrayBuffer();
}
