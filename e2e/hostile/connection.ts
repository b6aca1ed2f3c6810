// A client of HTTP/1.1 that sends any bytes and reads the answers itself. A client that parses, completes or corrects its
// requests would not send what the catalogue says.
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Piece, Wire } from "./wire.ts";

const ANSWER_MS = 30_000;
const BLOCK_BYTES = 1024 * 1024;
const NO_BODY = new Set([204, 304]);

/** An answer as it came over the wire; names of headers are in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A TCP connection to the server. */
export class Connection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setTimeout(2 * ANSWER_MS, () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake();
    });
    for (const event of ["end", "error", "close"]) {
      socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  static async open(origin: URL): Promise<Connection> {
    // Half-open: the server's end of its side does not end ours.
    const socket = connect({
      host: origin.hostname,
      port: Number(origin.port),
      allowHalfOpen: true,
    });
    await once(socket, "connect");
    return new Connection(socket);
  }

  /** Whether the server has ended the connection. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Sends it all, and gives up where the server does not take more. */
  async send(wire: Wire): Promise<void> {
    for (const piece of wire) {
      if (typeof piece === "object" && "pauseMs" in piece) await sleep(piece.pauseMs);
      else for (const block of blocksOf(piece)) await this.#write(block);
    }
  }

  /**
   * Reads the next answer, past those that only announce it (1xx).
   * @param isHead whether it answers HEAD, and so has no body
   */
  async read(isHead = false): Promise<Answer> {
    for (;;) {
      const lines = (await this.#readUntil("\r\n\r\n")).split("\r\n");
      const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(lines[0] ?? "")?.[1]);
      if (Number.isNaN(status)) throw new Error(`no answer of HTTP: ${lines[0]?.slice(0, 80)}`);
      const headers = headersOf(lines.slice(1));
      if (status < 200 && status !== 101) continue;
      const body = isHead || NO_BODY.has(status) ? "" : await this.#readBody(headers);
      return { status, headers, body };
    }
  }

  /** Waits until the server ends the connection. @returns what came before that */
  async readToEnd(): Promise<string> {
    await this.#until(() => this.#ended);
    return this.#take(this.#received.length);
  }

  end(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#ended) return;
    await new Promise<void>((resolve) => {
      this.#socket.write(bytes, () => resolve());
    });
  }

  async #readBody(headers: ReadonlyMap<string, string>): Promise<string> {
    if (headers.get("transfer-encoding") === "chunked") return this.#readChunks();
    const length = headers.get("content-length");
    if (length === undefined) return this.readToEnd();
    return this.#readBytes(Number(length));
  }

  async #readChunks(): Promise<string> {
    const chunks: string[] = [];
    for (;;) {
      const length = Number.parseInt(await this.#readUntil("\r\n"), 16);
      const chunk = await this.#readBytes(length);
      await this.#readUntil("\r\n");
      if (length === 0) return chunks.join("");
      chunks.push(chunk);
    }
  }

  async #readBytes(count: number): Promise<string> {
    await this.#until(() => this.#received.length >= count || this.#ended);
    if (this.#received.length < count) throw new Error("the connection ended within an answer");
    return this.#take(count);
  }

  async #readUntil(end: string): Promise<string> {
    await this.#until(() => this.#received.includes(end) || this.#ended);
    const at = this.#received.indexOf(end);
    if (at < 0) throw new Error("the connection ended without an answer");
    const text = this.#take(at + end.length);
    return text.slice(0, -end.length);
  }

  #take(count: number): string {
    const text = this.#received.toString("utf8", 0, count);
    this.#received = this.#received.subarray(count);
    return text;
  }

  async #until(holds: () => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(ANSWER_MS);
    while (!holds()) {
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        deadline.addEventListener("abort", () => reject(new Error("no answer in time")), {
          once: true,
        });
      });
    }
  }
}

function* blocksOf(piece: Exclude<Piece, { readonly pauseMs: number }>): Iterable<Uint8Array> {
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

/** Headers by their names; values of one name are joined by commas. */
function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
