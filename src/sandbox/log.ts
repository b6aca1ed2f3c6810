import type { FieldError } from "../http/errors.ts";
import type { SandboxDatabase } from "./database.ts";

/** A request to a sandbox as its owner sees it. No query, header or body is in it: any may hold a password or a token. */
export interface LoggedRequest {
  /** Ascends, and is never used again while the sandbox lives. */
  readonly id: number;
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
export const MOST_AT_ONCE_BYTES = 100_000;

const LAST = `SELECT coalesce(max("last"), 0) AS "last" FROM "own_log"`;
const INSERT = `INSERT INTO "own_log" VALUES (?, ?, ?)`;
const AFTER = `SELECT "last", "entries", "bytes" FROM (
  SELECT *, sum(octet_length("entries")) OVER (ORDER BY "last") AS "bytes"
  FROM "own_log" WHERE "last" > ? AND "count" > 0
) WHERE "bytes" <= ${MOST_AT_ONCE_BYTES} OR "bytes" = octet_length("entries") ORDER BY "last"`;

/** These leave the id of the last request. */
const CLEAR = [
  `DELETE FROM "own_log" WHERE "last" < (SELECT max("last") FROM "own_log")`,
  `UPDATE "own_log" SET "count" = 0, "entries" = '[]'`,
];

/** Deletes the rows that are not needed to show the last `MOST` requests, or that are beyond `MOST_BYTES`. */
const DELETE_OLD = `DELETE FROM "own_log" WHERE "last" <= (
  SELECT max("last") FROM (
    SELECT "last",
      sum("count") OVER (ORDER BY "last" DESC) - "count" AS "newer",
      sum(octet_length("entries")) OVER (ORDER BY "last" DESC) AS "bytes"
    FROM "own_log"
  ) WHERE "newer" >= ${MOST} OR "bytes" > ${MOST_BYTES}
)`;

/** Requests that follow each other. */
export interface Written {
  /** The id of the last of them. */
  readonly last: number;
  /** A JSON array, the oldest first. */
  readonly entries: string;
  readonly bytes: number;
}

/**
 * The last requests to a sandbox. They are written a moment after the answers, many in one row: an object holds its
 * answers back until its writes are durable, so no answer may wait for its own entry.
 */
export class RequestLog {
  readonly #database: SandboxDatabase;
  readonly #onWritten: () => void;
  /** Requests that were not written yet, oldest first, as JSON without their ids. */
  #pending: string[] = [];
  #pendingBytes = 0;

  /** @param onWritten is told when requests were written */
  constructor(database: SandboxDatabase, onWritten: () => void) {
    this.#database = database;
    this.#onWritten = onWritten;
  }

  /** Adds a request. @returns whether it is the first that waits to be written */
  add(request: Omit<LoggedRequest, "id">): boolean {
    const entry = JSON.stringify(request);
    if (this.#pendingBytes + entry.length > MOST_AT_ONCE_BYTES) this.write();
    this.#pending.push(entry);
    this.#pendingBytes += entry.length;
    return this.#pending.length === 1;
  }

  /** Writes the requests that wait, if any, and deletes the oldest. */
  write(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    const [{ last }] = this.#database.rows(LAST) as unknown as [Pick<Written, "last">];
    const entries = pending.map((entry, index) => `{"id":${last + 1 + index},${entry.slice(1)}`);
    this.forgetPending();
    this.#database.rows(INSERT, last + entries.length, entries.length, `[${entries.join(",")}]`);
    this.#database.rows(DELETE_OLD);
    this.#onWritten();
  }

  /** The requests after this id, if there are any, or the first of them. The id is the last of a row. */
  after(id: number): Written | undefined {
    const rows = this.#database.rows(AFTER, id) as unknown as Written[];
    const end = rows.at(-1);
    const entries = `[${rows.map((row) => row.entries.slice(1, -1)).join(",")}]`;
    return end && { ...end, entries };
  }

  /** The last requests, newest first. Those that wait are written first, so that an id that was shown stays. */
  get requests(): readonly LoggedRequest[] {
    this.write();
    const rows = this.#database.rows(`SELECT "entries" FROM "own_log" ORDER BY "last"`);
    const requests = rows.flatMap(
      ({ entries }) => JSON.parse(entries as string) as LoggedRequest[],
    );
    return requests.toReversed().slice(0, MOST);
  }

  /** Empties the log. */
  clear(): void {
    this.forgetPending();
    for (const statement of CLEAR) this.#database.rows(statement);
  }

  /** Drops the requests that wait. */
  forgetPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
