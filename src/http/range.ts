import { readTagPreconditions, statusOfRead } from "./preconditions.ts";

/** One range of bytes. A server may ignore any other form (RFC 9110 §14.2). */
const ONE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

/** Part of a content, from its first byte to its last. */
export interface Part {
  readonly first: number;
  readonly last: number;
}

/**
 * The part of `size` bytes that a `Range` header asks for.
 * @returns `undefined` if the header has no valid range, which means all bytes
 */
function partOf(range: string, size: number): Part | "unsatisfiable" | undefined {
  const [, from, to = "", suffix] = ONE_RANGE.exec(range) ?? [];
  if (suffix !== undefined) {
    const first = Math.max(0, size - Number(suffix));
    return first < size ? { first, last: size - 1 } : "unsatisfiable";
  }
  if (from === undefined || (to !== "" && Number(to) < Number(from))) return undefined;
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return Number(from) < size ? { first: Number(from), last } : "unsatisfiable";
}

/** What a request asks of stored bytes. */
interface ReadOfBytes {
  readonly method: string;
  readonly headers: Headers;
}

/** Stored bytes, as R2 describes them. */
interface StoredBytes {
  readonly etag: string;
  /** The same in quotes. */
  readonly httpEtag: string;
  readonly size: number;
}

/** The bytes of an answer, all or a part, and the headers that say so. */
interface Selection {
  readonly status: 200 | 206;
  readonly part: Part | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether a request asks for all bytes, whatever is stored. */
export const asksForAll = ({ method, headers }: ReadOfBytes): boolean =>
  method === "GET" && !["range", "if-match", "if-none-match"].some((name) => headers.has(name));

/** The bytes that a request gets (RFC 9110 §13.2.2 and §14), or why it gets none. */
export function selectBytes(
  { method, headers }: ReadOfBytes,
  { etag, httpEtag, size }: StoredBytes,
): Selection | "changed" | "unchanged" | "unsatisfiable" {
  const status = statusOfRead(readTagPreconditions(headers), etag);
  if (status !== 200) return status === 412 ? "changed" : "unchanged";
  // R2's tags are strong, so a weak one never matches (RFC 9110 §13.1.5).
  const isCurrent = (headers.get("if-range") ?? httpEtag) === httpEtag;
  // Only GET has ranges (RFC 9110 §14.2).
  const range = method === "GET" && isCurrent ? headers.get("range") : null;
  const part = range === null ? undefined : partOf(range, size);
  if (part === "unsatisfiable") return part;
  const { first, last } = part ?? { first: 0, last: size - 1 };
  const length = { "Content-Length": String(last - first + 1) };
  return part
    ? {
        status: 206,
        part,
        headers: { ...length, "Content-Range": `bytes ${first}-${last}/${size}` },
      }
    : { status: 200, part, headers: length };
}
