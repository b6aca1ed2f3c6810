import { MOST_AT_ONCE_BYTES } from "./log.ts";
import type { RequestLog, Written } from "./log.ts";

/** The most that is sent to a page that acknowledges nothing: in bytes, and in messages. */
const MAX_UNREAD_BYTES = 256 * 1024;
const MAX_UNREAD = 50;

/** What an object knows of a page, even after it slept. At most 2 KB. */
interface Attachment {
  /** The id of the last request that was sent to it. */
  readonly last: number;
  /** The messages that it has not acknowledged. */
  readonly unread: readonly (readonly [receipt: string, bytes: number])[];
}

/** A receipt begins with the id of the last request of its message. */
const numberOf = (receipt: unknown) => Number.parseInt(String(receipt), 10);

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
    this.#keep({ last: 0, unread: [] });
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
    const { last, unread } = this.#attachment;
    const read = unread.findIndex(([each]) => each === receipt);
    // An older message was acknowledged with a later one.
    if (read < 0 && numberOf(receipt) < numberOf(unread[0]?.[0] ?? last + 1)) return;
    if (read < 0) {
      this.#socket.close(1008, "no receipt of a message");
      return;
    }
    this.#keep({ last, unread: unread.slice(read + 1) });
    this.send(log);
  }

  get #reads(): boolean {
    const { unread } = this.#attachment;
    const bytes = unread.reduce((sum, [, more]) => sum + more, 0);
    return unread.length < MAX_UNREAD && bytes + MOST_AT_ONCE_BYTES <= MAX_UNREAD_BYTES;
  }

  #sendOne({ last, entries, bytes }: Written): void {
    const receipt = `${last}-${crypto.randomUUID().slice(0, 8)}`;
    this.#socket.send(`{"receipt":"${receipt}","requests":${entries}}`);
    this.#keep({ last, unread: [...this.#attachment.unread, [receipt, bytes]] });
  }

  get #attachment(): Attachment {
    return this.#socket.deserializeAttachment() as Attachment;
  }

  #keep(attachment: Attachment): void {
    this.#socket.serializeAttachment(attachment);
  }
}
