import {
  getMultipartBoundary,
  MultipartParseError,
  parseMultipart,
} from "@remix-run/multipart-parser";
import type { MultipartPart } from "@remix-run/multipart-parser";
import { utf8 } from "../crypto.ts";

// RFC 7578 as clients write it: names without quotes, any case of `form-data`, fields with a `Content-Type`. What
// `formData()` of the runtime refuses of these, the parser takes; what it replaces or drops silently is refused here.

/** Most parts of a form. */
export const MAX_PARTS = 100;

/** Longest header of a part, in bytes. */
const MAX_HEADER_BYTES = 8 * 1024;

/** Longest headers of all parts together, in bytes. A byte of a header takes up to ten times as long as one of content. */
const MAX_HEADERS_BYTES = 32 * 1024;

/** How far from its beginning a form's first part is looked for, in bytes. */
const MAX_PREAMBLE_BYTES = 1024;

/** RFC 2046 §5.1.1. The parser would never end with one of 252 characters. */
const BOUNDARY = /^[\x20-\x7e]{1,70}$/;

const [CR, LF, DASH] = utf8("\r\n-");
const HEADER_END = utf8("\r\n\r\n");

/** A form is not one, or not in UTF-8. */
export class MalformedForm extends Error {
  override readonly name = "MalformedForm";
}

/**
 * Reads a form of parts: its fields by name, each a string or a `File`. Of several of one name the last one counts.
 * @param type the media type, with its boundary
 * @throws MalformedForm
 */
export function parseMultipartForm(body: ArrayBuffer, type: string): Record<string, string | File> {
  const boundary = getMultipartBoundary(type)?.trim() ?? "";
  if (!BOUNDARY.test(boundary)) throw new MalformedForm("has no boundary");
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    maxParts: MAX_PARTS,
    maxFileSize: body.byteLength,
    maxTotalSize: body.byteLength,
  };
  try {
    const form = withOwnBoundary(new Uint8Array(body), boundary);
    const parts = parseMultipart(form.pieces, { boundary: form.boundary, ...limits });
    return Object.fromEntries([...parts].map((part) => fieldOf(part)));
  } catch (error) {
    // The decoder throws the latter.
    const isMalformed = error instanceof MultipartParseError || error instanceof TypeError;
    throw isMalformed ? new MalformedForm("is not a form in UTF-8", { cause: error }) : error;
  }
}

/**
 * The same form with another boundary, in pieces. The parser's search for the boundary takes 300 times as long where a
 * client wants it: a file of one letter, and a boundary of that letter. So the parser gets a random one. Each content is a
 * piece of its own, because the parser would copy a larger piece.
 */
function withOwnBoundary(
  form: Uint8Array,
  boundary: string,
): { readonly pieces: readonly Uint8Array[]; readonly boundary: string } {
  const wanted = utf8(`\r\n--${boundary}`);
  const isAtStart = isAt(form, 0, wanted.subarray(2));
  let end = isAtStart ? wanted.length - 2 : delimiterEnd(form, wanted, 0);
  if (end === undefined || end > MAX_PREAMBLE_BYTES) {
    throw new MalformedForm(`has no part in its first ${MAX_PREAMBLE_BYTES} bytes`);
  }
  const own = crypto.getRandomValues(new Uint8Array(35)).toHex();
  // What stands before the first part is nobody's (RFC 2046 §5.1.1).
  const pieces = [utf8(`--${own}`)];
  const delimiter = utf8(`\r\n--${own}`);
  let headersBytes = 0;
  // Of more parts than there may be, one is enough for the parser to refuse them.
  for (let count = 0; count < MAX_PARTS + 2; count++) {
    const isLast: boolean = form[end] === DASH && form[end + 1] === DASH;
    if (isLast) break;
    const content = contentStart(form, end);
    pieces.push(form.subarray(end, content));
    headersBytes += content - end;
    if (headersBytes > MAX_HEADERS_BYTES) {
      throw new MalformedForm(`has parts with headers of more than ${MAX_HEADERS_BYTES} bytes`);
    }
    const next = delimiterEnd(form, wanted, content);
    if (next === undefined) throw new MalformedForm("has a part without an end");
    pieces.push(form.subarray(content, next - wanted.length), delimiter);
    end = next;
  }
  return { pieces: [...pieces, form.subarray(end)], boundary: own };
}

/**
 * Where the next delimiter ends. Its first four bytes are "\r\n--", so each byte tells how far the fourth of them is at
 * least. The boundary has no CR, so no two attempts compare the same bytes, whatever a client writes.
 */
function delimiterEnd(form: Uint8Array, delimiter: Uint8Array, from: number): number | undefined {
  const { length } = form;
  for (let at = from + 3; at < length;) {
    const byte = form[at];
    if (byte === DASH) {
      if (form[at - 3] === CR && isAt(form, at - 3, delimiter)) return at - 3 + delimiter.length;
      at += 1;
    } else if (byte === LF) at += 2;
    else if (byte === CR) at += 3;
    else at += 4;
  }
  return undefined;
}

function isAt(form: Uint8Array, start: number, bytes: Uint8Array): boolean {
  let compared = 0;
  while (compared < bytes.length && form[start + compared] === bytes[compared]) compared++;
  return compared === bytes.length;
}

/**
 * Where the content of a part begins, whose delimiter ends here. The parser would look for the end of its header in the
 * whole form.
 * @throws MalformedForm if the header is too long
 */
function contentStart(form: Uint8Array, end: number): number {
  const start = end + "\r\n".length;
  const last = Math.min(form.length, start + MAX_HEADER_BYTES + HEADER_END.length);
  for (let at = start; at + HEADER_END.length <= last; at++) {
    if (isAt(form, at, HEADER_END)) return at + HEADER_END.length;
  }
  throw new MalformedForm(`has a part with a header of more than ${MAX_HEADER_BYTES} bytes`);
}

const CHARSET_OTHER_THAN_UTF_8 = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;
const CODED = /^(?!(?:7bit|8bit|binary)$)/i;

/** A field's name and its content. */
function fieldOf(part: MultipartPart): readonly [string, string | File] {
  const { headers } = part;
  const { "content-type": type = "", "content-transfer-encoding": coding } = headers;
  const disposition = parametersOf(headers["content-disposition"] ?? "");
  const name = disposition.get("name");
  if (name === undefined) throw new MalformedForm("has a part without a name");
  if (coding !== undefined && CODED.test(coding)) {
    throw new MalformedForm("has a part with a Content-Transfer-Encoding");
  }
  const filename = filenameOf(disposition) ?? (BYTES.test(type) ? "blob" : undefined);
  if (filename !== undefined) return [unquoted(name), new File(part.content, filename, { type })];
  const { text } = part;
  if (CHARSET_OTHER_THAN_UTF_8.test(type) && /[^\0-\x7f]/.test(text)) {
    throw new MalformedForm("has a field that is not in UTF-8");
  }
  return [unquoted(name), text];
}

const BYTES = /^application\/octet-stream\s*(?:;|$)/i;
const UTF_8_ENCODED = /^\s*"?utf-8'[^']*'([^;"\s]+)/i;

/** `undefined` where the part is a field of text. */
function filenameOf(disposition: Parameters): string | undefined {
  const extended = disposition.get("filename*");
  const plain = disposition.get("filename");
  if (extended === undefined) return plain === undefined ? undefined : unquoted(plain);
  // RFC 8187. The parser would replace what is not UTF-8.
  const [, encoded] = UTF_8_ENCODED.exec(extended) ?? [];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // Said below.
  }
  throw new MalformedForm("has a file name that is not in UTF-8");
}

type Parameters = ReadonlyMap<string, string>;

const PARAMETERS: ReadonlySet<string> = new Set(["name", "filename", "filename*"]);
const [SEMICOLON, EQUALS, QUOTE, BACKSLASH] = utf8(';="\\');

/**
 * The parameters of a part that count, as they are written; of several of one name the last one. The parser would read
 * all parameters for each of them, at a hundred times the cost.
 */
function parametersOf(disposition: string): Parameters {
  const found = new Map<string, string>();
  let start = 0;
  let equals = 0;
  let isQuoted = false;
  for (let at = 0; at <= disposition.length; at++) {
    const code = at < disposition.length ? disposition.charCodeAt(at) : SEMICOLON;
    if (isQuoted && at < disposition.length) {
      if (code === BACKSLASH) at++;
      else isQuoted = code !== QUOTE;
    } else if (code === EQUALS) equals ||= at;
    else if (code === QUOTE) isQuoted = equals > 0;
    else if (code === SEMICOLON) {
      if (start > 0 && equals - start >= 4) {
        const name = disposition.slice(start, equals).trim().toLowerCase();
        if (PARAMETERS.has(name)) found.set(name, disposition.slice(equals + 1, at));
      }
      start = at + 1;
      equals = 0;
    }
  }
  return found;
}

/** The value of a parameter, without quotes and the backslashes before characters. */
function unquoted(value: string): string {
  const [, quoted = value] = /^\s*"((?:[^"\\]|\\.)*)"/.exec(value) ?? [];
  return quoted.replaceAll(/\\(.)/g, "$1").trim();
}
