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

const INSERT = `INSERT INTO "own_log"
SELECT coalesce(max("last"), 0) + ?1, ?1, ?2 FROM "own_log"`;

/** Deletes the rows that are not needed to show the last `MOST` requests, or that are beyond `MOST_BYTES`. */
const DELETE_OLD = `DELETE FROM "own_log" WHERE "last" <= (
  SELECT max("last") FROM (
    SELECT "last",
      sum("count") OVER (ORDER BY "last" DESC) - "count" AS "newer",
      sum(octet_length("entries")) OVER (ORDER BY "last" DESC) AS "bytes"
    FROM "own_log"
  ) WHERE "newer" >= ${MOST} OR "bytes" > ${MOST_BYTES}
)`;

/**
 * The last requests to a sandbox. They are written a moment after the answers, many in one row: an object holds its
 * answers back until its writes are durable, so no answer may wait for its own entry.
 */
export class RequestLog {
  readonly #database: SandboxDatabase;
  readonly #show: (entries: string) => void;
  /** Requests that were not written yet, oldest first, as JSON. */
  #pending: string[] = [];
  #pendingBytes = 0;

  /** @param show gets the requests that are written, once each, as a JSON array */
  constructor(database: SandboxDatabase, show: (entries: string) => void) {
    this.#database = database;
    this.#show = show;
  }

  /** Adds a request. @returns whether it is the first that waits to be written */
  add(request: LoggedRequest): boolean {
    const entry = JSON.stringify(request);
    if (this.#pendingBytes + entry.length > MOST_AT_ONCE_BYTES) this.write();
    this.#pending.push(entry);
    this.#pendingBytes += entry.length;
    return this.#pending.length === 1;
  }

  /** Writes and shows the requests that wait, if any, and deletes the oldest. */
  write(): void {
    const pending = this.#pending.slice(-MOST);
    if (pending.length === 0) return;
    const entries = `[${pending.join(",")}]`;
    this.forgetPending();
    this.#database.rows(INSERT, pending.length, entries);
    this.#database.rows(DELETE_OLD);
    this.#show(entries);
  }

  /** The last requests, newest first, those that wait included. */
  get requests(): readonly LoggedRequest[] {
    const rows = this.#database.rows(`SELECT "entries" FROM "own_log" ORDER BY "last"`);
    const texts = [...rows.map(({ entries }) => entries as string), `[${this.#pending.join(",")}]`];
    const requests = texts.flatMap((entries) => JSON.parse(entries) as LoggedRequest[]);
    return requests.toReversed().slice(0, MOST);
  }

  /** Empties the log. */
  clear(): void {
    this.forgetPending();
    this.#database.rows(`DELETE FROM "own_log"`);
  }

  /** Drops the requests that wait. */
  forgetPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
