/** The largest number of requests that the page shows. A store keeps no more. */
const MOST = 200;

/**
 * Watches a store until the connection ends.
 * @param path of its log
 * @param onLog gets the log, newest first, once, or the beginning of a long one
 * @param onRequests gets the requests that follow, several at a time, newest first
 */
export function watch(path, { onLog, onRequests }) {
  const socket = new WebSocket(new URL(path, location.href.replace(/^http/, "ws")));
  let take = onLog;
  socket.addEventListener("message", ({ data }) => {
    const { receipt, requests } = JSON.parse(data);
    take(requests.toReversed());
    take = onRequests;
    // A page that returns no receipts soon gets no more.
    socket.send(receipt);
  });
  return new Promise((resolve) => socket.addEventListener("close", resolve));
}

/** The requests that the page shows, newest first, and those that wait because the list must not move now. */
export class RequestLog {
  shown = [];
  waiting = [];

  /** @param entries newest first */
  show(entries) {
    this.shown = entries;
    this.waiting = [];
  }

  /** @param entries newest first */
  add(entries, waits) {
    this.waiting = [...entries, ...this.waiting].slice(0, MOST);
    if (!waits) this.release();
  }

  /** Shows what waits. */
  release() {
    this.shown = [...this.waiting, ...this.shown].slice(0, MOST);
    this.waiting = [];
  }

  find(id) {
    return this.shown.find((entry) => entry.id === id);
  }

  /** The attempts with one idempotency key stand together, where the last one stands; others are alone. */
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

/** Whether a request passes a filter. A status is `503` or `4xx`. */
export const passes = (filter) => (entry) =>
  (!filter.operationId || entry.operationId === filter.operationId) &&
  (!filter.status || String(entry.status).startsWith(filter.status.replace("xx", "")));
