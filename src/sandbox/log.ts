import { utf8 } from "../crypto.ts";
import type { FieldError } from "../http/errors.ts";
import type { SandboxDatabase } from "./database.ts";

/** A request to a sandbox as its owner sees it. No query, header or body is in it: any may hold a password or a token. */
export interface LoggedRequest {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** Below the path of the sandbox. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** What was wrong with the fields of the request. */
  readonly errors?: readonly FieldError[];
  /** Whether a rule of the sandbox made the answer. */
  readonly isOnDemand?: true;
}

/** The largest number of requests in the log of a sandbox. */
const MOST = 200;

/** The largest size of the log, and of the requests that are written together, in bytes of JSON. */
const MOST_BYTES = 2_000_000;
const MOST_AT_ONCE_BYTES = 500_000;

/** Requests that were written together: one row of `own_log`. */
interface Written {
  /** The number of its last request. */
  readonly last: number;
  readonly count: number;
  readonly bytes: number;
}

/**
 * The last requests to a sandbox. They are written a moment after the answers, many in one row: an object holds its
 * answers back until its writes are durable, so no answer may wait for its own entry.
 */
export class RequestLog {
  readonly #database: SandboxDatabase;
  /** The rows, oldest first. */
  #written: readonly Written[] = [];
  /** The number of the last request that was written. */
  #last = 0;
  /** Requests that were not written yet, oldest first, as JSON. */
  #pending: string[] = [];
  #pendingBytes = 0;

  constructor(database: SandboxDatabase) {
    this.#database = database;
  }

  /** Finds what was written before the object slept. */
  open(): void {
    this.#setWritten(
      this.#database.rows(
        `SELECT "last", json_array_length("entries") AS "count", octet_length("entries") AS "bytes" FROM "own_log" ORDER BY "last"`,
      ) as unknown as Written[],
    );
    this.#last = this.#written.at(-1)?.last ?? 0;
  }

  /** Adds a request. @returns whether it is the first that waits to be written */
  add(request: LoggedRequest): boolean {
    const entry = JSON.stringify(request);
    if (this.#pendingBytes + entry.length > MOST_AT_ONCE_BYTES) this.write();
    this.#pending.push(entry);
    this.#pendingBytes += entry.length;
    return this.#pending.length === 1;
  }

  /** Writes the requests that wait, in one row, and drops the oldest. @returns them as a JSON array, oldest first */
  write(): string {
    const entries = `[${this.#pending.slice(-MOST).join(",")}]`;
    const count = Math.min(this.#pending.length, MOST);
    this.#last += count;
    this.#forgetPending();
    if (count === 0) return entries;
    const written = [
      ...this.#written,
      { last: this.#last, count, bytes: utf8(entries).byteLength },
    ];
    let [kept, bytes] = [0, 0];
    // The newest rows that are needed to show so many requests, or for which there is room.
    const first = written.findLastIndex((row) => {
      const isBeyond = kept >= MOST || bytes + row.bytes > MOST_BYTES;
      kept += row.count;
      bytes += row.bytes;
      return isBeyond;
    });
    this.#database.rows(`INSERT INTO "own_log" VALUES (?, ?)`, this.#last, entries);
    const dropped = written[first];
    if (dropped) this.#database.rows(`DELETE FROM "own_log" WHERE "last" <= ?`, dropped.last);
    this.#setWritten(written.slice(first + 1));
    return entries;
  }

  /** The last requests, newest first, those that wait included. */
  get requests(): readonly LoggedRequest[] {
    const rows = this.#database.rows(`SELECT "entries" FROM "own_log" ORDER BY "last"`);
    const entries = [
      ...rows.flatMap(({ entries: text }) => JSON.parse(text as string) as LoggedRequest[]),
      ...this.#pending.map((entry) => JSON.parse(entry) as LoggedRequest),
    ];
    return entries.toReversed().slice(0, MOST);
  }

  clear(): void {
    this.#forgetPending();
    if (this.#written.length > 0) this.#database.rows(`DELETE FROM "own_log"`);
    this.#setWritten([]);
  }

  /** Forgets what belonged to a sandbox whose database is gone. */
  end(): void {
    this.#forgetPending();
    this.#setWritten([]);
    this.#last = 0;
  }

  #forgetPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  #setWritten(written: readonly Written[]): void {
    this.#written = written;
    this.#database.logBytes = written.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
