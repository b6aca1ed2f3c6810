/** The most requests that the page shows. A store keeps no more. */
export const MOST = 200;

/**
 * Watches a store until the connection ends.
 * @param path the path of its log
 * @param onLog receives the first message: the log, or the beginning of a long one, newest first
 * @param onRequests receives the requests of each later message, newest first
 */
export function watch(path, { onLog, onRequests }) {
  const socket = new WebSocket(new URL(path, location.href.replace(/^http/, "ws")));
  let take = onLog;
  socket.addEventListener("message", ({ data }) => {
    const { receipt, requests } = JSON.parse(data);
    take(requests.toReversed());
    take = onRequests;
    // Acknowledges the message. Otherwise the store stops sending.
    socket.send(receipt);
  });
  return new Promise((resolve) => socket.addEventListener("close", resolve));
}

/** The shown requests, newest first, and those that wait while the list must not move. */
export class RequestLog {
  shown = [];
  waiting = [];
  isRead = false;

  /** Whether the store has no requests. */
  get isEmpty() {
    return this.isRead && this.shown.length === 0;
  }

  /** @param entries newest first */
  show(entries) {
    this.shown = entries;
    this.waiting = [];
    this.isRead = true;
  }

  /** @param entries newest first */
  add(entries, waits) {
    this.waiting = [...entries, ...this.waiting].slice(0, MOST);
    if (!waits) this.release();
  }

  /** Shows the waiting requests. */
  release() {
    this.shown = [...this.waiting, ...this.shown].slice(0, MOST);
    this.waiting = [];
  }

  find(id) {
    return this.shown.find((entry) => entry.id === id);
  }

  /** Attempts with the same idempotency key are grouped at the position of the latest. Others are groups of one. */
  get groups() {
    const groups = new Map();
    for (const entry of this.shown) {
      const first = entry.retryOf ?? entry.id;
      groups.set(first, [...(groups.get(first) ?? []), entry]);
    }
    return [...groups.values()];
  }

  groupOf(entry) {
    return this.groups.find((group) => group.includes(entry));
  }

  /** The operations of the requests. */
  get operations() {
    return [...new Set(this.shown.flatMap(({ operationId }) => operationId ?? []))];
  }
}

/** Whether a request matches a filter, whose status is like `503` or `4xx`. */
export const matches = (filter) => (entry) =>
  (!filter.operationId || entry.operationId === filter.operationId) &&
  (!filter.status || String(entry.status).startsWith(filter.status.replace("xx", "")));
