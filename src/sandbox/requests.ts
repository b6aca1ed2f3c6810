import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { operationOf } from "../http/operation.ts";
import type { SandboxEnv } from "./env.ts";

/** How much of a body is recorded, in bytes. */
const MAX_BODY_BYTES = 8 * 1024;

const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie|set-cookie|api_key|x-api-key)$/;

/** Headers that Cloudflare adds, some with the client's IP address, or replaces: `accept-encoding`. */
const ADDED_HEADER = /^(?:cf-|x-forwarded-|x-real-ip$|accept-encoding$)/;

const headersOf = (headers: Headers) =>
  Object.fromEntries(Array.from(headers, ([name, value]) => [name, SECRET_HEADER.test(name) ? "***" : value]));

const sentHeadersOf = (headers: Headers) =>
  headersOf(new Headers([...headers].filter(([name]) => !ADDED_HEADER.test(name))));

/** Records each request and its answer. */
export const record = createMiddleware<SandboxEnv>(async (c, next) => {
  const { requests } = c.get("sandbox");
  const at = Date.now();
  const sent = beginningOf(c.req.raw.body && c.req.raw.clone().body);
  await next();
  const ms = Date.now() - at;
  const answered = await answeredIn(c);
  if (c.get("signal").aborted) return;
  requests.add(() => requestOf(c, at, ms, sent(), answered()));
});

/** The body of the answer. JSON is at hand, so it is taken and put back: to clone a response costs 100 µs. */
async function answeredIn(c: Context<SandboxEnv>): Promise<() => string | undefined> {
  if (c.req.method === "HEAD") return () => undefined;
  const isJson = c.res.headers.get("Content-Type")?.startsWith("application/json");
  if (!isJson || c.get("isStreamed")) return beginningOf(c.res.clone().body);
  const body = await c.res.bytes();
  c.res = new Response(body, c.res);
  return () => recorded(body);
}

function requestOf(c: Context<SandboxEnv>, at: number, ms: number, sent?: string, answered?: string) {
  const { pathname, search } = new URL(c.req.url);
  return {
    at,
    ms,
    method: c.req.method,
    path: pathname.slice(c.get("mount").length) + search,
    operationId: operationOf(c),
    status: c.res.status,
    requestHeaders: sentHeadersOf(c.req.raw.headers),
    requestBody: sent,
    responseHeaders: headersOf(c.res.headers),
    responseBody: answered,
    errors: c.get("fieldErrors"),
    rule: c.get("rule"),
  };
}

/** What the record has of a request, before it has an id. */
export type Recorded = ReturnType<typeof requestOf>;

/** Reads the beginning of a body beside the one that takes the body. @returns gives what has been read so far */
function beginningOf(body: ReadableStream<Uint8Array> | null): () => string | undefined {
  if (!body) return () => undefined;
  const chunks: Uint8Array[] = [];
  const read = async () => {
    const reader = body.getReader();
    for (let bytes = 0; bytes < MAX_BODY_BYTES;) {
      const { value, done } = await reader.read();
      if (done) return;
      chunks.push(value);
      bytes += value.byteLength;
    }
    await reader.cancel();
  };
  // A body that breaks off is recorded as far as it came.
  void read().catch(() => undefined);
  return () => recorded(Buffer.concat(chunks));
}

/** What is recorded of a body: its text, whose last character may be cut. `undefined` if it is empty or no text. */
function recorded(body: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body.subarray(0, MAX_BODY_BYTES), {
      stream: true,
    });
    return text === "" || text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** How long requests are gathered before they are written, in milliseconds: an answer would wait for its own write. */
const GATHERED_MS = 1000;

/** The same while somebody watches. */
const WATCHED_MS = 100;

/** The most requests that are kept. */
const MAX_REQUESTS = 200;

const CREATE = `CREATE TABLE IF NOT EXISTS sandbox_requests
  (id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL) STRICT`;

const INSERT = "INSERT INTO sandbox_requests (request) VALUES (?) RETURNING id";

/** Keeps the last 200 requests, and at most 2 MB of them. */
const DELETE_OLD = `DELETE FROM sandbox_requests WHERE id <= (
  SELECT max(id) FROM (
    SELECT id, row_number() OVER newest AS place, sum(octet_length(request)) OVER newest AS bytes
    FROM sandbox_requests WINDOW newest AS (ORDER BY id DESC)
  ) WHERE place > ${MAX_REQUESTS} OR bytes > 2000000
)`;

/** The id ascends, and is never used again. */
export type RecordedRequest = { readonly id: number } & Recorded;

/** The last requests to a sandbox, and the pages that watch them. */
export class RequestLog {
  readonly #ctx: DurableObjectState;
  #pending: (() => Recorded)[] = [];

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  get #sql(): SqlStorage {
    return this.#ctx.storage.sql;
  }

  createTable(): void {
    this.#sql.exec(CREATE);
  }

  /**
   * Adds a request. It is written a moment later, together with others.
   * @param read called then, when the answer has all its headers
   */
  add(read: () => Recorded): void {
    const isWatched = this.#ctx.getWebSockets().length > 0;
    const added = this.#pending.push(read);
    if (added === 1) {
      const wait = scheduler.wait(isWatched ? WATCHED_MS : GATHERED_MS);
      this.#ctx.waitUntil(wait.then(() => this.#write()));
    }
    // It would be deleted as soon as it was written.
    if (added > MAX_REQUESTS && !isWatched) this.#pending.shift();
  }

  /** Writes what was added, and sends it to the watchers. */
  #write(): void {
    if (this.#pending.length === 0) return;
    // A socket that is closing is still listed.
    const sockets = this.#ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
    for (const read of this.#pending.splice(0)) {
      const request = read();
      const { id } = this.#sql.exec<{ id: number }>(INSERT, JSON.stringify(request)).one();
      for (const socket of sockets) socket.send(JSON.stringify({ id, ...request }));
    }
    this.#sql.exec(DELETE_OLD);
  }

  /** The requests, newest first. */
  list(): RecordedRequest[] {
    this.#write();
    return this.#sql
      .exec<{ id: number; request: string }>("SELECT * FROM sandbox_requests ORDER BY id DESC")
      .toArray()
      .map(({ id, request }) => ({ id, ...(JSON.parse(request) as Recorded) }));
  }

  /** The size of the record in the database. */
  get bytes(): number {
    return this.#sql.exec<{ bytes: number }>("SELECT total(octet_length(request)) AS bytes FROM sandbox_requests").one()
      .bytes;
  }

  /** Empties the record. Ids go on. */
  clear(): void {
    this.#pending = [];
    this.#sql.exec("DELETE FROM sandbox_requests");
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
