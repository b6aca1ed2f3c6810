import type { FieldError } from "../../http/errors.ts";
import type { Deeds } from "../faults/delivery.ts";
import type { FaultRule } from "../faults/contract.ts";
import type { SandboxDatabase } from "../database.ts";
import type { RecordMode, RequestFilter } from "./contract.ts";
import type { Recorded } from "./recording.ts";

/** A recorded request: a line, or all of it if the sandbox records in full. */
export interface LoggedRequest extends Partial<Recorded>, Deeds {
  /** Ascending, and never reused while the sandbox lives. */
  readonly id: number;
  /** When the request came, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** Below the path of the sandbox. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Unset for an unknown path or method. */
  readonly operationId?: string;
  /** The fields at fault. */
  readonly errors?: readonly FieldError[];
  /** The rule that applied. */
  readonly rule?: FaultRule;
  /** The first recorded request with the same `Idempotency-Key`. */
  readonly retryOf?: number;
}

/** Whether a request matches a filter, apart from `limit`. */
export function isWanted(request: LoggedRequest, filter: RequestFilter): boolean {
  const { id, operationId, method, status, after = 0 } = filter;
  return (
    request.id > after &&
    (id === undefined || id === request.id) &&
    (operationId === undefined || operationId === request.operationId) &&
    (method === undefined || method === request.method) &&
    (status === undefined || `${request.status}`.startsWith(status.replace("xx", "")))
  );
}

/** The longest path in the log, in characters. */
export const MOST_PATH = 2048;

/** The largest number of requests in the log of a sandbox. */
const MOST = 200;

/** The largest size of the log and of one row, in bytes of JSON. */
const MOST_BYTES = 2_000_000;
export const MOST_AT_ONCE_BYTES = 100_000;

const LAST = `SELECT "last" FROM "sandbox_requests" ORDER BY "last" DESC LIMIT 1`;
const INSERT = `INSERT INTO "sandbox_requests" VALUES (?, ?, ?)`;
const AFTER = `SELECT "last", "entries", "bytes" FROM (
  SELECT *, sum(octet_length("entries")) OVER (ORDER BY "last") AS "bytes"
  FROM "sandbox_requests" WHERE "last" > ? AND "count" > 0
) WHERE "bytes" <= ${MOST_AT_ONCE_BYTES} OR "bytes" = octet_length("entries") ORDER BY "last"`;

/** Empties the log but keeps its last id. */
const CLEAR = [
  `DELETE FROM "sandbox_requests" WHERE "last" < (SELECT max("last") FROM "sandbox_requests")`,
  `UPDATE "sandbox_requests" SET "count" = 0, "entries" = '[]'`,
];

/** Deletes the rows beyond the newest `MOST` requests or `MOST_BYTES`. */
const DELETE_OLD = `DELETE FROM "sandbox_requests" WHERE "last" <= (
  SELECT max("last") FROM (
    SELECT "last",
      sum("count") OVER (ORDER BY "last" DESC) - "count" AS "newer",
      sum(octet_length("entries")) OVER (ORDER BY "last" DESC) AS "bytes"
    FROM "sandbox_requests"
  ) WHERE "newer" >= ${MOST} OR "bytes" > ${MOST_BYTES}
) RETURNING "last"`;

/** The idempotency key of a request, if it has a valid one. */
const keyOf = ({ requestHeaders }: Partial<LoggedRequest>) =>
  /^[ -~]{1,255}$/.exec(requestHeaders?.["idempotency-key"] ?? "")?.[0];

/** Consecutive requests. */
export type Written = {
  /** The id of the last of them. */
  readonly last: number;
  /** A JSON array, the oldest first. */
  readonly entries: string;
  readonly bytes: number;
};

/** The settings of the record. */
interface RecordSettings {
  /** What is recorded; `undefined` for the default. */
  readonly mode?: RecordMode;
  /** The name of the data that the sandbox began with, if it has one, and the last request before that. */
  readonly began: { readonly data?: "empty" | "classic" | undefined; readonly after: number };
}

/**
 * The last requests to a sandbox. They are gathered for a moment, then written as one row. Not with each answer, because an
 * object sends no answer before its writes are durable.
 */
export class RequestLog {
  readonly #database: SandboxDatabase;
  readonly #onWritten: () => void;
  /** Requests to write, oldest first: JSON without the id, and the idempotency key. */
  #pending: { readonly entry: string; readonly key: string | undefined }[] = [];
  #pendingBytes = 0;
  #settings: RecordSettings | undefined;
  /** The idempotency keys of the requests in the log, oldest first; `undefined` until they are read. */
  #keys: { readonly id: number; readonly key: string | undefined }[] | undefined;
  /** How often the log was emptied. */
  timesEmptied = 0;

  /** @param onWritten called after each write */
  constructor(database: SandboxDatabase, onWritten: () => void) {
    this.#database = database;
    this.#onWritten = onWritten;
  }

  /** Adds a request. @returns whether no other one is pending */
  add(request: Omit<LoggedRequest, "id">): boolean {
    const entry = JSON.stringify(request);
    if (this.#pendingBytes + entry.length > MOST_AT_ONCE_BYTES) this.write();
    this.#pending.push({ entry, key: keyOf(request) });
    this.#pendingBytes += entry.length;
    return this.#pending.length === 1;
  }

  /** Writes pending requests, and deletes the oldest. */
  write(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    const { last } = this;
    const entries = pending.map(({ entry, key }, index) => {
      const id = last + 1 + index;
      const first = key && this.#firstWith(key, id);
      return `{"id":${id},${first ? `"retryOf":${first},` : ""}${entry.slice(1)}`;
    });
    this.#forgetPending();
    const newest = last + entries.length;
    this.#database.rows(INSERT, newest, entries.length, `[${entries.join(",")}]`);
    const deleted = this.#database.rows<Pick<Written, "last">>(DELETE_OLD);
    const gone = Math.max(newest - MOST, ...deleted.map((row) => row.last));
    this.#keys = this.#keys?.filter(({ id }) => id > gone);
    this.#onWritten();
  }

  /** Read once while the object is in memory. */
  get settings(): RecordSettings {
    if (!this.#settings) {
      const rows = this.#database.rows<Record<"key" | "value", string>>(
        `SELECT * FROM "sandbox_settings"`,
      );
      const kept = rows.map(({ key, value }) => [key, JSON.parse(value) as unknown]);
      // A sandbox is made empty.
      const began = { data: "empty", after: 0 } as const;
      // As the setter stored them.
      this.#settings = { began, ...(Object.fromEntries(kept) as Partial<RecordSettings>) };
    }
    return this.#settings;
  }

  set settings(settings: Partial<RecordSettings>) {
    for (const [key, value] of Object.entries(settings)) {
      const json = JSON.stringify(value);
      this.#database.rows(`INSERT OR REPLACE INTO "sandbox_settings" VALUES (?, ?)`, key, json);
    }
    this.#settings = undefined;
  }

  /** Begins again with the new data of the sandbox. @param data its name, if it has one */
  begin(data: RecordSettings["began"]["data"]): void {
    this.clear();
    this.settings = { began: { data, after: this.last } };
  }

  /** The id of the last request, even if the log was emptied since. */
  get last(): number {
    return this.#database.rows<Pick<Written, "last">>(LAST)[0]?.last ?? 0;
  }

  /** The first request in the log with this idempotency key, if any. @param id of the request that has it now */
  #firstWith(key: string, id: number): number | undefined {
    this.#keys ??= this.#written()
      .toReversed()
      .map((written) => ({ id: written.id, key: keyOf(written) }));
    const first = this.#keys.find((known) => known.key === key);
    this.#keys.push({ id, key });
    return first?.id;
  }

  /** The next requests after a row, if there are any. @param id the last of that row, or 0 */
  after(id: number): Written | undefined {
    const rows = this.#database.rows<Written>(AFTER, id);
    const end = rows.at(-1);
    const entries = `[${rows.map((row) => row.entries.slice(1, -1)).join(",")}]`;
    return end && { ...end, entries };
  }

  /** The last requests, newest first. Writes the pending ones, which gives them ids. */
  get requests(): readonly LoggedRequest[] {
    this.write();
    return this.#written();
  }

  #written(): readonly LoggedRequest[] {
    const rows = this.#database.rows<Pick<Written, "entries">>(
      `SELECT "entries" FROM "sandbox_requests" ORDER BY "last"`,
    );
    // As `write` stored them.
    const requests = rows.flatMap(({ entries }) => JSON.parse(entries) as LoggedRequest[]);
    return requests.toReversed().slice(0, MOST);
  }

  /** Empties the log. */
  clear(): void {
    this.forget();
    for (const statement of CLEAR) this.#database.rows(statement);
  }

  /** Drops what is only in memory. */
  forget(): void {
    this.timesEmptied += 1;
    this.#forgetPending();
    this.#settings = undefined;
    this.#keys = undefined;
  }

  #forgetPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
