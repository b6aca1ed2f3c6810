import { utf8 } from "../platform/crypto.ts";

// Reads RFC 7578 as clients write it: names without quotes, any case of `form-data`, fields with a `Content-Type`. The
// runtime's `formData()` rejects some of these, but accepts invalid UTF-8, and base64 as text. `@remix-run/multipart-parser`
// rejects a preamble, and accepts any text behind a boundary. This parser takes linear time.

/** The most parts of a form. */
const MAX_PARTS = 100;

/** Longest headers of a part, in bytes. */
const MAX_HEADER_BYTES = 8 * 1024;

/** Longest headers of all parts together, in bytes. Headers are slower to parse than content. */
const MAX_HEADERS_BYTES = 32 * 1024;

/** Most headers of a part, and most parameters of a header. */
const MAX_VALUES = 16;

/** Longest preamble, including the first boundary, in bytes. */
const MAX_PREAMBLE_BYTES = 1024;

const BOUNDARY = /boundary=(?:"([^"]+)"|([^;]+))/i;

/** RFC 2046 §5.1.1. */
const VALID_BOUNDARY = /^[\x20-\x7e]{1,70}$/;

const [CR, LF, DASH, SPACE, TAB] = utf8("\r\n- \t");
const LINE_END = utf8("\r\n");
const HEADER_END = utf8("\r\n\r\n");

/** A common mistake in forms that are written by hand. */
const WRONG_LINE_END = "has lines that do not end with CRLF";

/** The message says what is wrong with the form. */
export class MalformedForm extends Error {
  override readonly name = "MalformedForm";
}

/**
 * Reads a multipart form: its fields by name, each a string or a `File`. If a name repeats, the last value wins.
 * @param type the media type, with its boundary
 * @throws MalformedForm
 */
export function parseMultipartForm(body: ArrayBuffer, type: string): Record<string, string | File> {
  const [, quoted, plain = ""] = BOUNDARY.exec(type) ?? [];
  const boundary = (quoted ?? plain).trim();
  if (!VALID_BOUNDARY.test(boundary))
    throw new MalformedForm("has no boundary of at most 70 characters");
  return Object.fromEntries(partsOf(new Uint8Array(body), boundary).map((part) => fieldOf(part)));
}

interface Part {
  readonly header: Uint8Array;
  readonly content: Uint8Array;
}

function partsOf(form: Uint8Array, boundary: string): Part[] {
  const delimiter = utf8(`\r\n--${boundary}`);
  // The first delimiter may lack its line break. Ignore the preamble (RFC 2046 §5.1.1).
  const isAtStart = isAt(form, 0, delimiter.subarray(2));
  let end = isAtStart ? delimiter.length - 2 : delimiterEnd(form, delimiter, 0);
  if (end === undefined || end > MAX_PREAMBLE_BYTES) {
    throw new MalformedForm(`has no part in its first ${MAX_PREAMBLE_BYTES} bytes`);
  }
  const parts: Part[] = [];
  let headersBytes = 0;
  while (form[end] !== DASH || form[end + 1] !== DASH) {
    if (parts.length === MAX_PARTS) throw new MalformedForm(`has more than ${MAX_PARTS} parts`);
    const start = lineEnd(form, end);
    const header = headerAt(form, start);
    headersBytes += header.length;
    if (headersBytes > MAX_HEADERS_BYTES) {
      throw new MalformedForm(`has headers of more than ${MAX_HEADERS_BYTES} bytes in all`);
    }
    const content = start + header.length + HEADER_END.length;
    end = delimiterEnd(form, delimiter, content);
    if (end === undefined) throw new MalformedForm("does not end with its boundary");
    parts.push({ header, content: form.subarray(content, end - delimiter.length) });
  }
  return parts;
}

/** Where the delimiter's line ends. White space may pad it (RFC 2046 §5.1.1). */
function lineEnd(form: Uint8Array, from: number): number {
  let at = from;
  while (form[at] === SPACE || form[at] === TAB) at++;
  if (isAt(form, at, LINE_END)) return at + LINE_END.length;
  throw new MalformedForm(form[at] === LF ? WRONG_LINE_END : "has text after its boundary");
}

function headerAt(form: Uint8Array, start: number): Uint8Array {
  if (isAt(form, start, LINE_END)) throw new MalformedForm("has a part without headers");
  for (let end = start; end <= start + MAX_HEADER_BYTES; end++) {
    if (isAt(form, end, HEADER_END)) return form.subarray(start, end);
    if (form[end] === LF && form[end - 1] !== CR) throw new MalformedForm(WRONG_LINE_END);
    if (end === form.length) {
      throw new MalformedForm("has a part whose headers do not end with an empty line");
    }
  }
  throw new MalformedForm(`has a part with headers of more than ${MAX_HEADER_BYTES} bytes`);
}

/**
 * Where the next delimiter ends. It begins with the four bytes "\r\n--", so any byte bounds how far we can skip (as in
 * Boyer–Moore). The boundary has no CR, so no two comparisons overlap, even in a hostile form.
 */
function delimiterEnd(form: Uint8Array, delimiter: Uint8Array, from: number): number | undefined {
  const { length } = form;
  for (let at = from + 3; at < length;) {
    const byte = form[at];
    if (byte === DASH) {
      if (form[at - 3] === CR && isAt(form, at - 3, delimiter)) return at - 3 + delimiter.length;
      at += 1;
    } else if (byte === LF) at += 2;
    else at += byte === CR ? 3 : 4;
  }
  return undefined;
}

function isAt(form: Uint8Array, start: number, bytes: Uint8Array): boolean {
  let compared = 0;
  while (compared < bytes.length && form[start + compared] === bytes[compared]) compared++;
  return compared === bytes.length;
}

const CHARSET_OTHER_THAN_UTF_8 = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;
const CODED = /^(?!(?:7bit|8bit|binary)$)/i;
/** This part is a file even without a file name (RFC 7578 §4.2: it should have one). */
const FILE = "file";

/** The name and value of a field. */
function fieldOf({ header, content }: Part): readonly [string, string | File] {
  const headers = valuesIn(textOf(header), HEADER, "headers in a part");
  const type = headers.get("content-type") ?? "";
  const coding = headers.get("content-transfer-encoding");
  const disposition = valuesIn(
    headers.get("content-disposition") ?? "",
    PARAMETER,
    "parameters in a header",
  );
  const stated = disposition.get("name");
  if (stated === undefined) throw new MalformedForm("has a part without a name");
  const name = unquoted(stated);
  if (coding !== undefined && CODED.test(coding)) {
    throw new MalformedForm("has a part with a Content-Transfer-Encoding");
  }
  const filename = filenameOf(disposition) ?? (name === FILE ? "blob" : undefined);
  if (filename !== undefined) return [name, new File([content], filename, { type })];
  const text = textOf(content);
  if (CHARSET_OTHER_THAN_UTF_8.test(type) && /[^\0-\x7f]/.test(text)) {
    throw new MalformedForm("has a field that is not in UTF-8");
  }
  return [name, text];
}

// Keep a leading U+FEFF, which belongs to the value.
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch (error) {
    throw new MalformedForm("is not in UTF-8", { cause: error });
  }
}

type Values = ReadonlyMap<string, string>;

const HEADER = /(?:^|\r\n)([^:\r]+):(.*)/g;
/** A semicolon in quotes belongs to the value. */
const PARAMETER = /;([^=;]*)=((?:"(?:[^"\\]|\\.)*"?|[^";])*)/gs;

/**
 * The headers or parameters in a text: values by lower-case name. If a name repeats, the last value wins.
 * @param what says what they are, in an error
 */
function valuesIn(text: string, pattern: RegExp, what: string): Values {
  const values = new Map<string, string>();
  let count = 0;
  for (const [, name = "", value = ""] of text.matchAll(pattern)) {
    if (++count > MAX_VALUES) throw new MalformedForm(`has more than ${MAX_VALUES} ${what}`);
    values.set(name.trim().toLowerCase(), value.trim());
  }
  return values;
}

const UTF_8_ENCODED = /^"?utf-8'[^']*'([^;"\s]+)/i;

/** `undefined` if the part is a text field. */
function filenameOf(disposition: Values): string | undefined {
  const extended = disposition.get("filename*");
  const plain = disposition.get("filename");
  if (extended === undefined) return plain === undefined ? undefined : unquoted(plain);
  // RFC 8187.
  const [, encoded] = UTF_8_ENCODED.exec(extended) ?? [];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // Rejected below.
  }
  throw new MalformedForm("has a file name that is not in UTF-8");
}

/** The value of a parameter, without quotes and escaping backslashes. */
function unquoted(value: string): string {
  const [, quoted = value] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? [];
  return quoted.replaceAll(/\\(.)/g, "$1").trim();
}
