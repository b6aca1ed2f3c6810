import { ApiError } from "./errors.ts";
import type { FieldError } from "./errors.ts";
import { parseQuery } from "./query.ts";

/** Largest body that is read where the operation says nothing else, in bytes (CONTRACT §2). */
export const MAX_BODY_BYTES = 256 * 1024;

/** How a body is written. */
export type BodyFormat = "json" | "form" | "multipart";

const JSON_IN_UTF8 =
  /^application\/json\s*(?:;(?!.*charset)|;.*charset\s*=\s*"?utf-?8"?\s*(?:;|$)|$)/i;
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data\s*;/i;
const MEDIA_TYPES = { json: JSON_IN_UTF8, form: FORM, multipart: MULTIPART };

/** The media types of each format, as `Accept` names them. */
const ACCEPTED: Readonly<Record<BodyFormat, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded, multipart/form-data",
  multipart: "multipart/form-data",
};

/**
 * 415 for what is not of the media types of a format (RFC 9110 §15.5.16).
 * @param errors the fields of a form that hold something else
 */
export function unsupportedType(format: BodyFormat, errors: readonly FieldError[] = []): ApiError {
  return ApiError.general(415, { errors, headers: { Accept: ACCEPTED[format] } });
}

/** 415 for a content coding: none is undone (RFC 9110 §12.5.3). */
const UNSUPPORTED_CODING = { headers: { "Accept-Encoding": "identity" } };

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
  if (type !== null && !MEDIA_TYPES[format].test(type)) throw unsupportedType(format);
  if (coding !== "identity") throw ApiError.general(415, UNSUPPORTED_CODING);
  const bytes = await readBytes(request, maxBytes);
  if (bytes === undefined) return { malformed: "was cut off" };
  if (format === "json") return parseJson(bytes);
  if (bytes.byteLength === 0) return { value: {} };
  return MULTIPART.test(type ?? "") ? parseMultipart(bytes, type ?? "") : parseForm(bytes);
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

function parseForm(bytes: ArrayBuffer): Body {
  try {
    const fields = parseQuery(`?${UTF_8.decode(bytes)}`);
    // Of several values the last one counts, as of members of JSON.
    if (fields) {
      const last = Object.entries(fields).map(([name, values]) => [name, values.at(-1)]);
      return { value: Object.fromEntries(last) };
    }
  } catch {
    // Said below.
  }
  return { malformed: "is not a form in UTF-8" };
}

async function parseMultipart(bytes: ArrayBuffer, type: string): Promise<Body> {
  try {
    const form = await new Response(bytes, { headers: { "Content-Type": type } }).formData();
    const fields = [...form];
    // `formData` puts U+FFFD for what is not UTF-8: whoever means that very character is refused with it.
    if (fields.every(([, value]) => typeof value !== "string" || !value.includes("\uFFFD"))) {
      return { value: Object.fromEntries(fields) };
    }
  } catch {
    // Said below.
  }
  return { malformed: "is not a form in UTF-8" };
}

/** The body; `undefined` where the client went away in its midst. @throws ApiError 413 */
async function readBytes(request: Request, maxBytes: number): Promise<ArrayBuffer | undefined> {
  const announced = request.headers.get("content-length");
  if (Number(announced) > maxBytes) throw ApiError.general(413);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    if (announced !== null) return await request.arrayBuffer();
    // Read to its end even when it is too long: the connection is of use only then.
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      if (length <= maxBytes) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  if (length > maxBytes) throw ApiError.general(413);
  return new Blob(chunks).arrayBuffer();
}
