import type { FieldError } from "../../http/errors.ts";
import type { Rule } from "../rules/rules.ts";

/** A request in the log, before it has an ID. */
export interface RequestEntry {
  readonly at: number;
  readonly ms: number;
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  /** 0 if a rule closed the connection without a response. */
  readonly status: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly rule: Rule | undefined;
}

/** Returns the text of a body as far as it has been read; `undefined` if there is none. */
export type Text = () => string | undefined;

/** A request whose response may still get headers from middleware outside. */
export interface PendingEntry {
  readonly at: number;
  readonly ms: number;
  readonly request: Request;
  readonly requestBody: Text;
  readonly responseBody: Text;
}

/** IDs ascend and are never reused. */
export type LogEntry = { readonly id: number } & RequestEntry;

/** Whether a log entry matches a client's query. */
export type Filter = (entry: LogEntry) => boolean;

/**
 * How long requests are collected before they are written, in milliseconds. If each request were written immediately, its
 * response would have to wait for that write.
 */
const GATHERED_MS = 1000;

/** The same while a client watches or waits. */
const WATCHED_MS = 100;

/** The maximum number of requests in the log. */
const MAX_REQUESTS = 200;

const CREATE = `CREATE TABLE IF NOT EXISTS sandbox_requests
  (id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL) STRICT`;

const INSERT = "INSERT INTO sandbox_requests (request) VALUES (?) RETURNING id";

/** Keeps the last 200 requests, at most 2 MB. */
const DELETE_OLD = `DELETE FROM sandbox_requests WHERE id <= (
  SELECT max(id) FROM (
    SELECT id, row_number() OVER newest AS place, sum(octet_length(request)) OVER newest AS bytes
    FROM sandbox_requests WINDOW newest AS (ORDER BY id DESC)
  ) WHERE place > ${MAX_REQUESTS} OR bytes > 2000000
)`;

interface Waiter {
  readonly filter: Filter;
  readonly resolve: () => void;
}

/** The request log of a sandbox, and the clients that watch it or wait for a request. */
export class RequestLog {
  readonly #ctx: DurableObjectState;
  readonly #waiters = new Set<Waiter>();
  #pending: (() => RequestEntry)[] = [];

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  get #sql(): SqlStorage {
    return this.#ctx.storage.sql;
  }

  get #isWatched(): boolean {
    return this.#waiters.size > 0 || this.#ctx.getWebSockets().length > 0;
  }

  createTable(): void {
    this.#sql.exec(CREATE);
  }

  /**
   * Adds a request. It is written a moment later, together with others.
   * @param read called at that time, when the beginning of the bodies is known
   */
  add(read: () => RequestEntry): void {
    const isWatched = this.#isWatched;
    const length = this.#pending.push(read);
    if (length === 1) {
      const wait = scheduler.wait(isWatched ? WATCHED_MS : GATHERED_MS);
      this.#ctx.waitUntil(wait.then(() => this.#write()));
    }
    // It would be deleted as soon as it was written.
    if (length > MAX_REQUESTS && !isWatched) this.#pending.shift();
  }

  /** Writes the requests that were added, and tells the clients that watch or wait. */
  #write(): void {
    if (this.#pending.length === 0) return;
    // A socket that is closing is still listed.
    const sockets = this.#ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
    for (const read of this.#pending.splice(0)) {
      const request = read();
      const { id } = this.#sql.exec<{ id: number }>(INSERT, JSON.stringify(request)).one();
      const entry = { id, ...request };
      for (const socket of sockets) socket.send(JSON.stringify(entry));
      for (const { filter, resolve } of this.#waiters) if (filter(entry)) resolve();
    }
    this.#sql.exec(DELETE_OLD);
  }

  /** Returns the requests that pass a filter, newest first. */
  list(filter: Filter): LogEntry[] {
    this.#write();
    return this.#sql
      .exec<{ id: number; request: string }>("SELECT * FROM sandbox_requests ORDER BY id DESC")
      .toArray()
      .map(({ id, request }) => ({ id, ...(JSON.parse(request) as RequestEntry) }))
      .filter(filter);
  }

  /** Waits until a request that passes a filter is logged, or the time is up. Throws if the signal aborts. */
  async waitFor(filter: Filter, ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { filter, resolve };
    const end = new AbortController();
    this.#waiters.add(waiter);
    try {
      await Promise.race([promise, scheduler.wait(ms, { signal: AbortSignal.any([signal, end.signal]) })]);
    } finally {
      this.#waiters.delete(waiter);
      end.abort();
    }
  }

  /** The size of the log in the database, in bytes. */
  get bytes(): number {
    return this.#sql.exec<{ bytes: number }>("SELECT total(octet_length(request)) AS bytes FROM sandbox_requests").one()
      .bytes;
  }

  /** Empties the log. IDs continue. */
  clear(): void {
    this.#pending = [];
    this.#sql.exec("DELETE FROM sandbox_requests");
  }

  /** Opens a WebSocket that gets each request as it is written, even after the Durable Object hibernated. */
  watch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Closes the log of a sandbox that is deleted. */
  close(): void {
    this.#pending = [];
    for (const socket of this.#ctx.getWebSockets()) socket.close(1001, "The sandbox was deleted");
  }
}
