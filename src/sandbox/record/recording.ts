import { utf8 } from "../../platform/crypto.ts";
import { tryOnce } from "../../platform/failures.ts";
import type { Outgoing } from "../faults/delivery.ts";
import { INTERNAL } from "../faults/headers.ts";
import { maskBody, maskHeader, maskQuery } from "./masking.ts";

/** The largest part of a body that is kept, in bytes. */
const MOST_BYTES = 16 * 1024;

/** When a streamed answer is recorded if it has not ended, in milliseconds. */
const STREAM_MS = 10_000;

/** Headers that Cloudflare adds. Some contain the client's IP address. */
const ADDED = /^(?:cf-|x-forwarded-|x-real-ip$)/;

const NOT_RECORDED = new Set<string>(Object.values(INTERNAL));

/** A recorded body: its text, the beginning of a longer text, or the size and type of binary data. */
export type RecordedBody =
  | string
  | { readonly text: string; readonly bytes: number; readonly cut: true }
  | { readonly bytes: number; readonly type: string };

/** What a full record adds to the line of a request. */
export interface Recorded {
  readonly query: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: RecordedBody;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody?: RecordedBody;
}

/** Keeps the beginning of a body and counts its bytes while it passes. */
class KeptBody {
  bytes = 0;
  #kept = new Uint8Array();

  add(chunk: Uint8Array): void {
    const room = MOST_BYTES - this.bytes;
    if (room > 0) {
      if (this.bytes === 0) this.#kept = new Uint8Array(MOST_BYTES);
      this.#kept.set(chunk.subarray(0, room), this.bytes);
    }
    this.bytes += chunk.byteLength;
  }

  /** Passes a body through. @param ended called when it ends or is cancelled */
  watch(body: ReadableStream<Uint8Array>, ended = () => {}): ReadableStream<Uint8Array> {
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          this.add(chunk);
          controller.enqueue(chunk);
        },
        flush: ended,
        cancel: ended,
      }),
    );
  }

  /** @param isCut whether the body ends early @returns `undefined` if there is no body */
  show(type: string, isMasked: boolean, isCut = false): RecordedBody | undefined {
    const { bytes } = this;
    if (bytes === 0) return undefined;
    const text = textOf(this.#kept.subarray(0, bytes), isCut || bytes > MOST_BYTES);
    if (text === undefined) return { bytes, type: withoutParameters(type) };
    const shown = isMasked ? maskBody(text, type) : text;
    const sent = utf8(shown);
    if (bytes <= MOST_BYTES && sent.byteLength <= MOST_BYTES) return shown;
    return { text: textOf(sent.subarray(0, MOST_BYTES), true) ?? "", bytes, cut: true };
  }
}

const withoutParameters = (type: string) => type.replace(/\s*;[^]*/, "");

/** Decodes UTF-8; `undefined` for anything else. @param isCut whether the last character may be incomplete */
function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const text = decoder.decode(bytes, { stream: isCut });
    // UTF-16 has zeros, and no secret could be found in it.
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Records one request whole, while it is read and answered. */
export class Recording {
  /** The request to answer: its body is kept as it is read. */
  readonly request: Request;
  readonly #sent = new KeptBody();
  readonly #isMasked: boolean;

  constructor(request: Request, isMasked: boolean) {
    const { body, method } = request;
    // A client may send a body with these, but no code can make such a request.
    const isKept = body && method !== "GET" && method !== "HEAD";
    const kept = isKept && { method, body: this.#sent.watch(body) };
    this.request = kept ? new Request(request, kept) : request;
    this.#isMasked = isMasked;
  }

  /**
   * Records the answer. If it is streamed, it is recorded when it ends, or after ten seconds.
   * @param note gets the record
   * @returns the answer to send
   */
  answered({ response, content, deeds }: Outgoing, note: (recorded: Recorded) => void): Response {
    const { body, headers } = response;
    const type = headers.get("Content-Type") ?? "";
    const answer = new KeptBody();
    const record = () =>
      note(this.#recorded(headers, answer.show(type, this.#isMasked, deeds?.broken !== undefined)));
    if (content !== undefined) {
      answer.add(typeof content === "string" ? utf8(content) : content);
      record();
    } else if (headers.has("Content-Length")) {
      // Only uploads are streamed with their length, which a body that is watched would lose.
      const bytes = Number(headers.get("Content-Length"));
      note(this.#recorded(headers, { bytes, type: withoutParameters(type) }));
    } else if (body) {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      void tryOnce(async () => ended, STREAM_MS)
        .catch(() => undefined)
        .then(record);
      return new Response(answer.watch(body, resolve), response);
    }
    return response;
  }

  #recorded(answered: Headers, responseBody: RecordedBody | undefined): Recorded {
    const { url, headers } = this.request;
    const query = /\?([^#]*)/.exec(url)?.[1] ?? "";
    const requestBody = this.#sent.show(headers.get("Content-Type") ?? "", this.#isMasked);
    return {
      query: this.#isMasked ? maskQuery(query) : query,
      requestHeaders: this.#headers(headers),
      ...(requestBody !== undefined && { requestBody }),
      responseHeaders: this.#headers(answered),
      ...(responseBody !== undefined && { responseBody }),
    };
  }

  #headers(headers: Headers): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...headers]
        .filter(([name]) => !ADDED.test(name) && !NOT_RECORDED.has(name))
        .map(([name, value]) => [name, this.#isMasked ? maskHeader(name, value) : value]),
    );
  }
}
