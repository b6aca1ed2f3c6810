import { MOST_AT_ONCE_BYTES } from "./log.ts";
import type { RequestLog, Written } from "./log.ts";

/** The most that is sent to a page that acknowledges nothing: in bytes, and in messages. */
const MAX_UNREAD_BYTES = 256 * 1024;
const MAX_UNREAD = 50;

/** The form of a receipt. */
const RECEIPT = /^\d+-[\da-f]{8}$/;

/** A page may guess this often in a row, because it may return a receipt after that of a later message. */
const MAX_UNKNOWN = 50;

/** What an object knows of a page, even after it slept. At most 2 KB. */
interface Attachment {
  /** The id of the last request that was sent to it. */
  readonly last: number;
  /** The messages that it has not acknowledged. */
  readonly unread: readonly (readonly [receipt: string, bytes: number])[];
  /** How many receipts in a row were of none of them. */
  readonly unknown: number;
}

/**
 * A page that watches a sandbox by WebSocket. It acknowledges each message by returning its receipt, which it cannot guess.
 * Otherwise unread messages would fill the memory: workerd has no `bufferedAmount`.
 */
export class Watcher {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Sends the log. The first message is sent even if the log is empty. */
  begin(log: RequestLog): void {
    this.#keep({ last: 0, unread: [], unknown: 0 });
    this.#sendOne(log.after(0) ?? { last: 0, entries: "[]", bytes: 2 });
    this.send(log);
  }

  /** Sends the requests that are new to the page, if it has acknowledged enough of those before. */
  send(log: RequestLog): void {
    // A socket of a deleted sandbox may still be closing.
    while (this.#socket.readyState === WebSocket.OPEN && this.#reads) {
      const written = log.after(this.#attachment.last);
      if (!written) return;
      this.#sendOne(written);
    }
  }

  /** The page has read this message and those before it. */
  acknowledge(receipt: unknown, log: RequestLog): void {
    // More messages may come before the page has closed its side.
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const { last, unread, unknown } = this.#attachment;
    const read = unread.findIndex(([each]) => each === receipt);
    if (read >= 0) {
      this.#keep({ last, unread: unread.slice(read + 1), unknown: 0 });
      this.send(log);
    } else if (RECEIPT.test(String(receipt)) && unknown + 1 < MAX_UNKNOWN) {
      this.#keep({ last, unread, unknown: unknown + 1 });
    } else {
      this.#socket.close(1008, "no receipt of a message");
    }
  }

  get #reads(): boolean {
    const { unread } = this.#attachment;
    const bytes = unread.reduce((sum, [, more]) => sum + more, 0);
    return unread.length < MAX_UNREAD && bytes + MOST_AT_ONCE_BYTES <= MAX_UNREAD_BYTES;
  }

  #sendOne({ last, entries, bytes }: Written): void {
    const receipt = `${last}-${crypto.randomUUID().slice(0, 8)}`;
    this.#socket.send(`{"receipt":"${receipt}","requests":${entries}}`);
    const { unread, unknown } = this.#attachment;
    this.#keep({ last, unread: [...unread, [receipt, bytes]], unknown });
  }

  get #attachment(): Attachment {
    // As `#keep` stored it.
    return this.#socket.deserializeAttachment() as Attachment;
  }

  #keep(attachment: Attachment): void {
    this.#socket.serializeAttachment(attachment);
  }
}
