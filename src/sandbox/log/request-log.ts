import { logError } from "../../middleware/log.ts";
import { toStoredEntry, type LogEntry, type PendingEntry, type StoredEntry } from "./entry.ts";

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

/** Returns no row if the request has left the log. */
const UPDATE = "UPDATE sandbox_requests SET request = ? WHERE id = ? RETURNING id";

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
  #added: PendingEntry[] = [];
  #completed: PendingEntry[] = [];
  /** The entries whose response is delayed. */
  readonly #waiting = new Set<PendingEntry>();
  #generation = 0;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  get #sql(): SqlStorage {
    return this.#ctx.storage.sql;
  }

  get #isWatched(): boolean {
    return this.#waiters.size > 0 || this.#ctx.getWebSockets().length > 0;
  }

  /** Changes when the log is emptied. A request that arrived in an earlier generation is neither added nor completed. */
  get generation(): number {
    return this.#generation;
  }

  createTable(): void {
    this.#sql.exec(CREATE);
  }

  /** Adds a request. If it is delayed, `complete` adds its response. */
  add(entry: PendingEntry): void {
    if (entry.generation !== this.#generation) return;
    if (entry.isDelayed) this.#waiting.add(entry);
    this.#added.push(entry);
    this.#writeLater();
    if (this.#added.length <= MAX_REQUESTS || this.#isWatched) return;
    // It would be deleted as soon as it was written.
    const oldest = this.#added.shift();
    if (oldest) this.#waiting.delete(oldest);
  }

  /** Adds the response of a delayed request, unless the request has left the log. */
  complete(entry: PendingEntry): void {
    if (!this.#waiting.delete(entry)) return;
    this.#completed.push(entry);
    this.#writeLater();
  }

  /** Writes what was added a moment later, together with what is added until then. */
  #writeLater(): void {
    if (this.#added.length + this.#completed.length > 1) return;
    const wait = scheduler.wait(this.#isWatched ? WATCHED_MS : GATHERED_MS);
    this.#ctx.waitUntil(wait.then(() => this.#write()));
  }

  /** Writes what was added, and tells the clients that watch or wait. If the storage fails, what was added is lost. */
  #write(): void {
    const added = this.#added.splice(0);
    const completed = this.#completed.splice(0);
    if (added.length + completed.length === 0) return;
    try {
      for (const entry of added) this.#insert(entry);
      for (const entry of completed) this.#update(entry);
      this.#sql.exec(DELETE_OLD);
    } catch (error) {
      logError(error);
    }
  }

  #insert(entry: PendingEntry): void {
    const isWaiting = entry.isDelayed === true;
    const stored = toStoredEntry(entry, isWaiting);
    const { id } = this.#sql.exec<{ id: number }>(INSERT, JSON.stringify(stored)).one();
    entry.id = id;
    this.#tell({ id, ...stored, ...(isWaiting && { waiting: true }) });
  }

  #update(entry: PendingEntry): void {
    const stored = toStoredEntry(entry, false);
    const rows = this.#sql.exec<{ id: number }>(UPDATE, JSON.stringify(stored), entry.id).toArray();
    for (const { id } of rows) this.#tell({ id, ...stored });
  }

  #tell(entry: LogEntry): void {
    for (const socket of this.#ctx.getWebSockets()) {
      // A socket that is closing is still listed.
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(entry));
    }
    for (const { filter, resolve } of this.#waiters) if (filter(entry)) resolve();
  }

  /** Returns the requests that pass a filter, newest first. */
  list(filter: Filter): LogEntry[] {
    this.#write();
    // More of a waiting request's body may have been read. One that is not in memory ended with its Durable Object.
    const waiting = new Map(Array.from(this.#waiting, (entry) => [entry.id, entry]));
    return this.#sql
      .exec<{ id: number; request: string }>("SELECT * FROM sandbox_requests ORDER BY id DESC")
      .toArray()
      .map(({ id, request }): LogEntry => {
        const entry = waiting.get(id);
        if (entry) return { id, ...toStoredEntry(entry, true), waiting: true };
        return { id, ...(JSON.parse(request) as StoredEntry) };
      })
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
    this.#forget();
    this.#sql.exec("DELETE FROM sandbox_requests");
  }

  /** Drops what is not written yet, and all requests in flight. */
  #forget(): void {
    this.#generation += 1;
    this.#added = [];
    this.#completed = [];
    this.#waiting.clear();
  }

  /** Opens a WebSocket that gets each request as it is written, even after the Durable Object hibernated. */
  watch(): Response {
    // What is added from now on is written sooner.
    this.#write();
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Closes the log of a sandbox that is deleted. */
  close(): void {
    this.#forget();
    for (const socket of this.#ctx.getWebSockets()) socket.close(1001, "The sandbox was deleted");
  }
}
