// Requests as the bytes that go over the wire.

/** A part of what a client sends. In a string, each character is one byte (Latin-1). */
export type Piece =
  | string
  | Uint8Array
  | { readonly repeat: string; readonly times: number }
  | { readonly pauseMs: number };

/** Everything that a client sends on a connection, in order. */
export type Wire = readonly Piece[];

export interface Sent {
  /** Lines, such as `Accept: text/html`. */
  readonly headers?: readonly string[];
  /** A string is sent in UTF-8. */
  readonly body?: string | Wire;
}

const BLOCK_BYTES = 1024 * 1024;

export const JSON_TYPE = "Content-Type: application/json";

/** The head of a request, with its final empty line. */
export function head(method: string, target: string, headers: readonly string[] = []): string {
  return [`${method} ${target} HTTP/1.1`, "Host: petstore.test", ...headers, "", ""].join("\r\n");
}

/** A request. If it has a body, it states its length. */
export function request(method: string, target: string, { headers = [], body }: Sent = {}): Wire {
  if (body === undefined) return [head(method, target, headers)];
  const pieces = typeof body === "string" ? [Buffer.from(body)] : body;
  const length = pieces.map(lengthOf).reduce((sum, next) => sum + next, 0);
  return [head(method, target, [...headers, `Content-Length: ${length}`]), ...pieces];
}

/** A request whose body claims to be JSON. */
export function json(method: string, target: string, body: string | Wire): Wire {
  return request(method, target, { headers: [JSON_TYPE], body });
}

/** A request whose body comes in these chunks. */
export function chunked(
  method: string,
  target: string,
  headers: readonly string[],
  chunks: readonly (string | Uint8Array)[],
): Wire {
  return [
    head(method, target, [...headers, "Transfer-Encoding: chunked"]),
    ...chunks.flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, "\r\n"]),
    "0\r\n\r\n",
  ];
}

/** The bytes of a piece, in blocks that fit into memory many times. */
export function* blocksOf(
  piece: Exclude<Piece, { readonly pauseMs: number }>,
): Iterable<Uint8Array> {
  if (typeof piece === "string") yield Buffer.from(piece, "latin1");
  else if (piece instanceof Uint8Array) yield piece;
  else {
    const inBlock = Math.max(1, Math.floor(BLOCK_BYTES / piece.repeat.length));
    const block = Buffer.from(piece.repeat.repeat(Math.min(inBlock, piece.times)), "latin1");
    for (let left = piece.times; left > 0; left -= inBlock) {
      yield left >= inBlock ? block : block.subarray(0, left * piece.repeat.length);
    }
  }
}

function lengthOf(piece: Piece): number {
  if (typeof piece === "string" || piece instanceof Uint8Array) return piece.length;
  return "repeat" in piece ? piece.repeat.length * piece.times : 0;
}
