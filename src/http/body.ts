import { utf8 } from "../platform/crypto.ts";
import { Unavailable } from "../platform/failures.ts";
import { ApiError } from "./errors.ts";
import { MalformedForm, parseMultipartForm } from "./multipart.ts";
import type { BodyFormat, StatedBody } from "./operation.ts";
import { MAX_PARAMETERS, parseQuery } from "./urlencoded.ts";

/**
 * Largest body, in bytes, unless the operation says otherwise (interface §2.3). In an export of the database, its row still
 * fits a statement of 100 KB, although SQL doubles quotes.
 */
export const MAX_BODY_BYTES = 48 * 1024;

/** The most values of a JSON body, unless the operation says otherwise. An object counts as two (interface §2.3.2). */
export const MAX_BODY_VALUES = 1000;

/** The media types of each format. */
const MEDIA_TYPES: Readonly<Record<BodyFormat, RegExp>> = {
  json: /^application\/json\s*(?:;(?!.*charset)|;.*charset\s*=\s*"?utf-?8"?\s*(?:;|$)|$)/i,
  form: /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i,
  multipart: /^multipart\/form-data\s*;/i,
  // A client that sends a form, JSON or XML does not mean to send a file.
  binary:
    /^(?!multipart\/|application\/x-www-form-urlencoded\s*(?:;|$)|(?!image\/)[^;]*[/+](?:json|xml)\s*(?:;|$))/i,
};

/** The same types, as an `Accept` lists them. */
const ACCEPTED: Readonly<Record<BodyFormat, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded, multipart/form-data",
  multipart: "multipart/form-data",
  binary: "application/octet-stream, image/*",
};

/** The `Accept` of a 415: the media types that an operation accepts (RFC 9110 §15.5.16). */
export function acceptOf(body: StatedBody | undefined): Record<string, string> {
  return body ? { Accept: ACCEPTED[body.format ?? "json"] } : {};
}

/** A media type or a content coding. Anything else in these headers is not repeated: it may contain a secret. */
const NAMED = /^[\w.+*-]+(?:\/[\w.+*-]+)?$/;

/** 415, which names what came and what to send: `curl -d` alone sends a form. */
function unsupported(
  header: string,
  accepted: string,
  sent: string,
  headers: Record<string, string>,
): ApiError {
  const [named = ""] = sent.toLowerCase().split(/\s*;/);
  const isAccepted = accepted.split(", ").includes(named);
  const other = NAMED.test(named) ? `, not ${named}` : "";
  const message = isAccepted
    ? "must have valid parameters: a charset of UTF-8, a boundary"
    : `must be ${accepted}${other}`;
  return ApiError.general("unsupportedType", { headers, errors: [{ path: header, message }] });
}

/** The content of a body, or what is wrong with it. */
export type Body =
  | { readonly value: unknown; readonly bytes?: ArrayBuffer }
  | { readonly malformed: string };

/**
 * Reads a request's body: JSON, the fields of a form by name (each a string or a `File`), or bytes as a `file`.
 * @throws ApiError 415 for another media type or a content coding, 413 for a larger body
 */
export async function readBody(request: Request, stated: StatedBody): Promise<Body> {
  const { format = "json", maxBytes = MAX_BODY_BYTES, maxValues = MAX_BODY_VALUES } = stated;
  const { headers } = request;
  // Some clients send a media type even without a body.
  if (stated.optional && headers.get("content-length") === "0") return { value: {} };
  const type = headers.get("content-type") ?? "";
  const coding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (type !== "" && !MEDIA_TYPES[format].test(type)) {
    throw unsupported("Content-Type", ACCEPTED[format], type, acceptOf(stated));
  }
  if (coding !== "identity") {
    throw unsupported("Content-Encoding", "identity", coding, { "Accept-Encoding": "identity" });
  }
  const bytes = await readBytes(request, maxBytes);
  if (bytes === undefined) return { malformed: "was cut off" };
  if (bytes.byteLength === 0 && (stated.optional || format !== "json")) return { value: {} };
  if (format === "json") return parseJson(bytes, maxValues);
  if (format === "binary") return { value: { file: new File([bytes], "file") } };
  return /^multipart\//i.test(type) ? parseMultipart(bytes, type) : parseForm(bytes);
}

/** Invalid UTF-8 is an error, not U+FFFD. A byte order mark is ignored (RFC 8259 §8.1). */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

function parseJson(bytes: ArrayBuffer, maxValues: number): Body {
  if (bytes.byteLength === 0) return { malformed: "is required" };
  if (hasMoreValues(new Uint8Array(bytes), maxValues)) {
    return { malformed: `must have at most ${maxValues} values` };
  }
  try {
    return { value: JSON.parse(UTF_8.decode(bytes)), bytes };
  } catch (error) {
    return { malformed: error instanceof TypeError ? "is not UTF-8" : "is not JSON" };
  }
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = utf8('"\\,[{');

/**
 * Whether JSON has more than `most` values, counted by its commas and opening brackets. This runs before parsing, because
 * 48 KiB of small objects with different member names take a hundred times as long to parse as a pet.
 */
function hasMoreValues(json: Uint8Array, most: number): boolean {
  let values = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === BRACKET) values += 1;
    else if (byte === BRACE) values += 2;
    if (values > most) return true;
  }
  return false;
}

function parseForm(bytes: ArrayBuffer): Body {
  try {
    const fields = parseQuery(`?${UTF_8.decode(bytes)}`);
    // If a field repeats, the last value wins, as in JSON.
    if (fields) {
      const last = Object.entries(fields).map(([name, values]) => [name, values.at(-1)]);
      return { value: Object.fromEntries(last) };
    }
  } catch {
    // Reported below.
  }
  return { malformed: `is not a form in UTF-8 of at most ${MAX_PARAMETERS} fields` };
}

function parseMultipart(bytes: ArrayBuffer, type: string): Body {
  try {
    return { value: parseMultipartForm(bytes, type) };
  } catch (error) {
    if (error instanceof MalformedForm) return { malformed: error.message };
    throw error;
  }
}

/** The most bytes of bodies that an isolate reads at a time. Received bytes stay in its memory of 128 MB. */
export const MAX_BYTES_IN_FLIGHT = 64 * 1024 * 1024;

let bytesInFlight = 0;

/**
 * Reads a body. Its bytes count as in flight until then.
 * @param bytes its announced length, or the most that it may have
 * @throws Unavailable if too many bytes are in flight
 */
export async function readInFlight<Read>(bytes: number, read: () => Promise<Read>): Promise<Read> {
  if (bytesInFlight + bytes > MAX_BYTES_IN_FLIGHT) throw new Unavailable("too many bodies at once");
  bytesInFlight += bytes;
  try {
    return await read();
  } finally {
    bytesInFlight -= bytes;
  }
}

/**
 * The body; `undefined` if the client disconnected before its end. `hono/body-limit` would not do: it locks the rest of a
 * body that is too long, which must be read to its end (interface §2.3.4).
 * @throws ApiError 413; Unavailable
 */
async function readBytes(request: Request, maxBytes: number): Promise<ArrayBuffer | undefined> {
  const announced = request.headers.get("content-length");
  if (Number(announced) > maxBytes) throw ApiError.general("tooLarge");
  const most = announced === null ? maxBytes : Number(announced);
  return readInFlight(most, async () => bytesOf(request, maxBytes));
}

async function bytesOf(request: Request, maxBytes: number): Promise<ArrayBuffer | undefined> {
  const announced = request.headers.get("content-length");
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    if (announced !== null) return await request.arrayBuffer();
    // Even a body that is too long is read to its end, so that the client can reuse the connection.
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      if (length <= maxBytes) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  if (length > maxBytes) throw ApiError.general("tooLarge");
  return new Blob(chunks).arrayBuffer();
}
