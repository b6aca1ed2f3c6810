import {
  getMultipartBoundary,
  MultipartParseError,
  parseMultipart,
} from "@remix-run/multipart-parser";
import type { MultipartPart } from "@remix-run/multipart-parser";
import { utf8 } from "../crypto.ts";

// RFC 7578 as clients write it: names without quotes, any case of `form-data`, fields with a `Content-Type`. The
// runtime's `formData()` would refuse some of these forms. It would also silently replace or drop invalid text, which
// is refused here.

/** The largest number of parts of a form. */
export const MAX_PARTS = 100;

/** Longest header of a part, in bytes. */
const MAX_HEADER_BYTES = 8 * 1024;

/** How far from its beginning a form's first part is looked for, in bytes. */
const MAX_PREAMBLE_BYTES = 1024;

/** RFC 2046 §5.1.1. The parser would never end with one of 252 characters. */
const BOUNDARY = /^[\x20-\x7e]{1,70}$/;

const [CR, LF] = utf8("\r\n");

/** In this encoding every byte is a character. */
const LATIN_1 = new TextDecoder("latin1");

/** The body is not a form, or not in UTF-8. */
export class MalformedForm extends Error {
  override readonly name = "MalformedForm";
}

/**
 * Reads a form of parts: its fields by name, each a string or a `File`. If a name is repeated, the last field counts.
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
    const form = withOwnBoundary(withoutPreamble(body, boundary), boundary);
    const parts = parseMultipart(form.bytes, { boundary: form.boundary, ...limits });
    return Object.fromEntries([...parts].map((part) => [nameOf(part), contentOf(part)]));
  } catch (error) {
    // The decoder throws the latter.
    const isMalformed = error instanceof MultipartParseError || error instanceof TypeError;
    throw isMalformed ? new MalformedForm("is not a form in UTF-8", { cause: error }) : error;
  }
}

/** Text before the first part is ignored (RFC 2046 §5.1.1). */
function withoutPreamble(body: ArrayBuffer, boundary: string): Uint8Array {
  const start = LATIN_1.decode(
    new Uint8Array(body, 0, Math.min(body.byteLength, MAX_PREAMBLE_BYTES)),
  );
  const first = start.startsWith(`--${boundary}`) ? 0 : start.indexOf(`\r\n--${boundary}`) + 2;
  return new Uint8Array(body, first === 1 ? 0 : first);
}

/**
 * The same form with another boundary. A client could make the parser's search for the boundary take 300 times as long,
 * with a file and a boundary that repeat one letter. So the parser gets a random boundary.
 */
function withOwnBoundary(
  form: Uint8Array,
  boundary: string,
): { readonly bytes: Uint8Array; readonly boundary: string } {
  const own = crypto.getRandomValues(new Uint8Array(35)).toHex();
  const ownBytes = utf8(own);
  const pieces: Uint8Array[] = [];
  let done = 0;
  // If there are too many parts, one more than the limit is enough for the parser to refuse them.
  for (const end of delimitersIn(form, boundary, MAX_PARTS + 2)) {
    pieces.push(form.subarray(done, end - boundary.length), ownBytes);
    done = end;
  }
  return { bytes: joined([...pieces, form.subarray(done)]), boundary: own };
}

/**
 * Where delimiters end in a form. A delimiter is "--" and the boundary, at the beginning of a line. A delimiter has its
 * one CR at its beginning, so no two attempts compare the same bytes.
 * @param most how many are looked for
 */
function delimitersIn(form: Uint8Array, boundary: string, most: number): readonly number[] {
  const delimiter = utf8(`\r\n--${boundary}`);
  const { length } = delimiter;
  // Before the first delimiter there may be no line: CR and LF are not compared.
  const matches = (at: number) => {
    let compared = at < 0 ? 2 : 0;
    while (compared < length && form[at + compared] === delimiter[compared]) compared++;
    return compared === length;
  };
  const ends = matches(-2) ? [length - 2] : [];
  for (let at = 0; at < form.length && ends.length < most; at++) {
    if (form[at] === CR && form[at + 1] === LF && matches(at)) ends.push(at + length);
  }
  return ends;
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

function nameOf({ name }: MultipartPart): string {
  if (name === undefined) throw new MalformedForm("has a part without a name");
  return name;
}

const EXTENDED_FILENAME = /;\s*filename\*\s*=/i;
const EXTENDED_FILENAME_IN_UTF_8 = /;\s*filename\*\s*=\s*"?utf-8'[^']*'([^;"\s]+)/i;
const CHARSET_OTHER_THAN_UTF_8 = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;
const CODED = /^(?!(?:7bit|8bit|binary)$)/i;

function contentOf(part: MultipartPart): string | File {
  const { headers } = part;
  const type = headers["content-type"] ?? "";
  const coding = headers["content-transfer-encoding"];
  if (coding !== undefined && CODED.test(coding))
    throw new MalformedForm("has a part with a Content-Transfer-Encoding");
  const filename = filenameOf(headers["content-disposition"] ?? "", part);
  if (filename !== undefined) return new File(part.content, filename, { type });
  const { text } = part;
  if (CHARSET_OTHER_THAN_UTF_8.test(type) && /[^\0-\x7f]/.test(text)) {
    throw new MalformedForm("has a field that is not in UTF-8");
  }
  return text;
}

/** `undefined` if the part is a text field. @throws TypeError if it is not UTF-8 */
function filenameOf(disposition: string, part: MultipartPart): string | undefined {
  if (!EXTENDED_FILENAME.test(disposition)) {
    return part.filename ?? (part.isFile ? "blob" : undefined);
  }
  // RFC 8187. The parser would replace what is not UTF-8.
  const [, encoded] = EXTENDED_FILENAME_IN_UTF_8.exec(disposition) ?? [];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // The code below reports it.
  }
  throw new MalformedForm("has a file name that is not in UTF-8");
}
