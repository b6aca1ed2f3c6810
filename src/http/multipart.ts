import {
  getMultipartBoundary,
  MultipartParseError,
  parseMultipart,
} from "@remix-run/multipart-parser";
import type { MultipartPart } from "@remix-run/multipart-parser";

// RFC 7578 as clients write it: names without quotes, any case of `form-data`, fields with a `Content-Type`. What
// `formData()` of the runtime refuses of these, the parser takes; what it replaces or drops silently is refused here.

/** Most parts of a form. */
export const MAX_PARTS = 100;

/** Longest header of a part, in bytes. */
const MAX_HEADER_BYTES = 8 * 1024;

/** How far from its beginning a form's first part is looked for, in bytes. */
const MAX_PREAMBLE_BYTES = 1024;

/** RFC 2046 §5.1.1. The parser would never end with one of 252 characters. */
const BOUNDARY = /^[\x20-\x7e]{1,70}$/;

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
    const parts = parseMultipart(withoutPreamble(body, boundary), { boundary, ...limits });
    return Object.fromEntries([...parts].map((part) => [nameOf(part), contentOf(part)]));
  } catch (error) {
    // The decoder throws the latter.
    const isMalformed = error instanceof MultipartParseError || error instanceof TypeError;
    throw isMalformed ? new MalformedForm("is not a form in UTF-8", { cause: error }) : error;
  }
}

/** What stands before the first part is nobody's (RFC 2046 §5.1.1). */
function withoutPreamble(body: ArrayBuffer, boundary: string): Uint8Array {
  // In this encoding every byte is a character.
  const start = new TextDecoder("latin1").decode(
    new Uint8Array(body, 0, Math.min(body.byteLength, MAX_PREAMBLE_BYTES)),
  );
  const first = start.startsWith(`--${boundary}`) ? 0 : start.indexOf(`\r\n--${boundary}`) + 2;
  return new Uint8Array(body, first === 1 ? 0 : first);
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

/** `undefined` where the part is a field of text. @throws TypeError for what is not UTF-8 */
function filenameOf(disposition: string, part: MultipartPart): string | undefined {
  if (!EXTENDED_FILENAME.test(disposition)) {
    return part.filename ?? (part.isFile ? "blob" : undefined);
  }
  // RFC 8187. The parser would replace what is not UTF-8.
  const [, encoded] = EXTENDED_FILENAME_IN_UTF_8.exec(disposition) ?? [];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // Said below.
  }
  throw new MalformedForm("has a file name that is not in UTF-8");
}
