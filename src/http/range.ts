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
export function partOf(range: string, size: number): Part | "unsatisfiable" | undefined {
  const [, from, to = "", suffix] = ONE_RANGE.exec(range) ?? [];
  if (suffix !== undefined) {
    const first = Math.max(0, size - Number(suffix));
    return first < size ? { first, last: size - 1 } : "unsatisfiable";
  }
  if (from === undefined || (to !== "" && Number(to) < Number(from))) return undefined;
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return Number(from) < size ? { first: Number(from), last } : "unsatisfiable";
}
