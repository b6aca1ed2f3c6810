import type { FieldError } from "../errors.ts";
import type { Rule } from "./rules.ts";

/** The most requests in the record, and the most bytes of their JSON. */
const MAX_REQUESTS = 200;
const MAX_BYTES = 2_000_000;

/** How long requests are gathered before they are written, in milliseconds: an answer would wait for its own write. */
const GATHERED_MS = 100;

const CREATE = `CREATE TABLE IF NOT EXISTS sandbox_requests
  (id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL) STRICT`;

const DELETE_OLD = `DELETE FROM sandbox_requests WHERE id <= (
  SELECT max(id) FROM (
    SELECT id, row_number() OVER newest AS place, sum(octet_length(request)) OVER newest AS bytes
    FROM sandbox_requests WINDOW newest AS (ORDER BY id DESC)
  ) WHERE place > ${MAX_REQUESTS} OR bytes > ${MAX_BYTES}
)`;

/** A request to a sandbox, and its answer. */
export interface RecordedRequest {
  /** Ascending, and never used again. */
  readonly id: number;
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  readonly method: string;
  /** Below the sandbox, with the query. */
  readonly path: string;
  /** Unset for an unknown path or method. */
  readonly operationId?: string | undefined;
  readonly status: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Text only; the beginning of one that is long. */
  readonly requestBody?: string | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
  readonly rule?: Rule | undefined;
}

type Unwritten = Omit<RecordedRequest, "id">;

/** The last requests to a sandbox, and the pages that watch them. */
export class RequestLog {
  readonly #ctx: DurableObjectState;
  #pending: (() => Unwritten)[] = [];

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  createTable(): void {
    this.#ctx.storage.sql.exec(CREATE);
  }

  /**
   * Adds a request. It is written a moment later, together with others.
   * @param read called then, when the answer has all its headers
   */
  add(read: () => Unwritten): void {
    if (this.#pending.push(read) > 1) return;
    this.#ctx.waitUntil(scheduler.wait(GATHERED_MS).then(() => this.#write()));
  }

  /** Writes what was added, and sends it to the watchers. */
  #write(): void {
    const { sql } = this.#ctx.storage;
    const pending = this.#pending.splice(0);
    if (pending.length === 0) return;
    for (const read of pending) {
      const request = read();
      const insert = "INSERT INTO sandbox_requests (request) VALUES (?) RETURNING id";
      const { id } = sql.exec<{ id: number }>(insert, JSON.stringify(request)).one();
      this.#send(JSON.stringify({ id, ...request }));
    }
    sql.exec(DELETE_OLD);
  }

  #send(message: string): void {
    for (const socket of this.#ctx.getWebSockets()) {
      // One that the page closes is still listed.
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    }
  }

  /** The requests, newest first. */
  list(): RecordedRequest[] {
    this.#write();
    return this.#ctx.storage.sql
      .exec<{ id: number; request: string }>("SELECT * FROM sandbox_requests ORDER BY id DESC")
      .toArray()
      .map(({ id, request }) => ({ id, ...(JSON.parse(request) as Unwritten) }));
  }

  /** The size of the record in the database. */
  get bytes(): number {
    return this.#ctx.storage.sql
      .exec<{ bytes: number }>("SELECT total(octet_length(request)) AS bytes FROM sandbox_requests")
      .one().bytes;
  }

  /** Empties the record. Ids go on. */
  clear(): void {
    this.#pending = [];
    this.#ctx.storage.sql.exec("DELETE FROM sandbox_requests");
  }

  /** Opens a WebSocket that gets each request as it is written, also after the object slept. */
  watch(): Response {
    const { 0: page, 1: here } = new WebSocketPair();
    this.#ctx.acceptWebSocket(here);
    return new Response(null, { status: 101, webSocket: page });
  }

  /** Ends the record with its sandbox. */
  close(): void {
    this.#pending = [];
    for (const socket of this.#ctx.getWebSockets()) socket.close(1001, "The sandbox was deleted");
  }
}
