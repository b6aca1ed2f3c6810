// How the hostile requests are written down: as the bytes that go over the wire.

/**
 * A part of what a client sends. Text is one byte a character (Latin-1), so that any byte can be written;
 * `utf8` encodes what is meant as characters.
 */
export type Piece =
  | string
  | Uint8Array
  | { readonly repeat: string; readonly times: number }
  | { readonly pauseMs: number };

/** All that a client sends on a connection, in order. */
export type Wire = readonly Piece[];

export interface Sent {
  /** Each a line, such as `Accept: text/html`. */
  readonly headers?: readonly string[];
  /** As text it is sent in UTF-8. */
  readonly body?: string | Wire;
}

export const JSON_TYPE = "Content-Type: application/json";

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The head of a request, with the empty line that ends it. */
export function head(method: string, target: string, headers: readonly string[] = []): string {
  return [`${method} ${target} HTTP/1.1`, "Host: petstore.test", ...headers, "", ""].join("\r\n");
}

/** A request; one with a body states its length. */
export function request(method: string, target: string, { headers = [], body }: Sent = {}): Wire {
  if (body === undefined) return [head(method, target, headers)];
  const pieces = typeof body === "string" ? [utf8(body)] : body;
  const length = pieces.map(lengthOf).reduce((sum, next) => sum + next, 0);
  return [head(method, target, [...headers, `Content-Length: ${length}`]), ...pieces];
}

/** A request whose body has the media type of JSON, whatever it holds. */
export function json(method: string, target: string, body: string | Wire): Wire {
  return request(method, target, { headers: [JSON_TYPE], body });
}

/** A request whose body comes in these chunks, without a length. */
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

/** The same bytes, one at a time. */
export function dribbled(wire: Wire, pauseMs: number): Wire {
  return wire.flatMap<Piece>((piece) => {
    if (typeof piece === "string") return [...piece].flatMap((byte) => [byte, { pauseMs }]);
    if (!(piece instanceof Uint8Array)) return [piece];
    return [...piece].flatMap((byte) => [Uint8Array.of(byte), { pauseMs }]);
  });
}

/** The method and the target of the first request. */
export function requestLine(wire: Wire): readonly [method: string, target: string] {
  const text = wire.filter((piece) => typeof piece === "string").join("");
  const [method = "", target = ""] = text.split(" ", 2);
  return [method, target];
}

function lengthOf(piece: Piece): number {
  if (typeof piece === "string" || piece instanceof Uint8Array) return piece.length;
  return "repeat" in piece ? piece.repeat.length * piece.times : 0;
}
