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

/** The four bytes that a delimiter begins with, and those that a header ends with, as numbers. */
const CRLF = 0x0d_0a;
const DELIMITER_START = (CRLF << 16) | 0x2d_2d;
const HEADER_END = (CRLF << 16) | CRLF;
const [DASH] = utf8("-");

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
    const parts = parseMultipart(form.bytes, { boundary: form.boundary, ...limits });
    return Object.fromEntries([...parts].map((part) => fieldOf(part)));
  } catch (error) {
    // The decoder throws the latter.
    const isMalformed = error instanceof MultipartParseError || error instanceof TypeError;
    throw isMalformed ? new MalformedForm("is not a form in UTF-8", { cause: error }) : error;
  }
}

/**
 * The same form with another boundary. The parser's search for the boundary takes 300 times as long where a client wants
 * it: a file of one letter, and a boundary of that letter. So the parser gets a random one.
 */
function withOwnBoundary(
  form: Uint8Array,
  boundary: string,
): { readonly bytes: Uint8Array; readonly boundary: string } {
  const wanted = utf8(boundary);
  let end = delimiterEnd(form, wanted, { from: 0, atLineStart: true });
  if (end === undefined || end > MAX_PREAMBLE_BYTES) {
    throw new MalformedForm(`has no part in its first ${MAX_PREAMBLE_BYTES} bytes`);
  }
  const own = crypto.getRandomValues(new Uint8Array(35)).toHex();
  const ownBytes = utf8(own);
  const pieces: Uint8Array[] = [];
  // What stands before the first part is nobody's (RFC 2046 §5.1.1).
  let done = end - wanted.length - "--".length;
  let headersBytes = 0;
  // Of more parts than there may be, one is enough for the parser to refuse them.
  for (let count = 0; end !== undefined && count < MAX_PARTS + 2; count++) {
    pieces.push(form.subarray(done, end - wanted.length), ownBytes);
    done = end;
    const isLast: boolean = form[end] === DASH && form[end + 1] === DASH;
    if (isLast) break;
    const content = contentStart(form, end);
    headersBytes += content - end;
    if (headersBytes > MAX_HEADERS_BYTES) {
      throw new MalformedForm(`has parts with headers of more than ${MAX_HEADERS_BYTES} bytes`);
    }
    end = delimiterEnd(form, wanted, { from: content });
  }
  return { bytes: joined([...pieces, form.subarray(done)]), boundary: own };
}

/**
 * Where the next delimiter ends: a boundary behind "--" at the beginning of a line. The last four bytes are one number,
 * so the search takes about the same time whatever a client writes. No boundary has a CR, so no two attempts compare the
 * same bytes.
 */
function delimiterEnd(
  form: Uint8Array,
  boundary: Uint8Array,
  { from, atLineStart = false }: { readonly from: number; readonly atLineStart?: boolean },
): number | undefined {
  // Read once, and with the first byte compared in the loop, it takes half the time.
  const { length } = form;
  const [first] = boundary;
  let lastBytes = atLineStart ? CRLF : 0;
  for (let at = from; at < length; at++) {
    lastBytes = (lastBytes << 8) | (form[at] ?? 0);
    const start = at + 1;
    if (lastBytes !== DELIMITER_START || form[start] !== first) continue;
    let compared = 1;
    while (compared < boundary.length && form[start + compared] === boundary[compared]) compared++;
    if (compared === boundary.length) return start + compared;
  }
  return undefined;
}

/**
 * Where the content of a part begins, whose delimiter ends here. The parser would look for the end of its header in the
 * whole form.
 * @throws MalformedForm if the header is too long
 */
function contentStart(form: Uint8Array, end: number): number {
  const start = end + "\r\n".length;
  const last = Math.min(form.length, start + MAX_HEADER_BYTES + "\r\n\r\n".length);
  let lastBytes = 0;
  for (let at = start; at < last; at++) {
    lastBytes = (lastBytes << 8) | (form[at] ?? 0);
    if (lastBytes === HEADER_END) return at + 1;
  }
  throw new MalformedForm(`has a part with a header of more than ${MAX_HEADER_BYTES} bytes`);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all;
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
