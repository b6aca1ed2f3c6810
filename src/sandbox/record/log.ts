import type { FieldError } from "../../http/errors.ts";
import type { Effects } from "../faults/delivery.ts";
import type { FaultRule } from "../faults/contract.ts";
import type { SandboxDatabase } from "../database.ts";
import type { RecordMode, RequestFilter } from "./contract.ts";
import type { Recorded } from "./recording.ts";

/** A recorded request: a line, or all of it if the sandbox records in full. */
export interface LoggedRequest extends Partial<Recorded>, Effects {
  /** Ascends, and is never used again while the sandbox lives. */
  readonly id: number;
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** Below the path of the sandbox. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** `undefined` for an unknown path or another method. */
  readonly operationId?: string;
  /** What was wrong with the fields of the request. */
  readonly errors?: readonly FieldError[];
  /** The rule of the sandbox that applied. */
  readonly rule?: FaultRule;
  /** The first request with the same `Idempotency-Key` that was there when this one was added. */
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

/** The largest size of the log, and of the requests that are written together, in bytes of JSON. */
const MOST_BYTES = 2_000_000;
export const MOST_AT_ONCE_BYTES = 100_000;

const LAST = `SELECT coalesce(max("last"), 0) AS "last" FROM "sandbox_requests"`;
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

/** Deletes the rows that are not needed to show the last `MOST` requests, or that are beyond `MOST_BYTES`. */
const DELETE_OLD = `DELETE FROM "sandbox_requests" WHERE "last" <= (
  SELECT max("last") FROM (
    SELECT "last",
      sum("count") OVER (ORDER BY "last" DESC) - "count" AS "newer",
      sum(octet_length("entries")) OVER (ORDER BY "last" DESC) AS "bytes"
    FROM "sandbox_requests"
  ) WHERE "newer" >= ${MOST} OR "bytes" > ${MOST_BYTES}
) RETURNING "last"`;

/** The idempotency key of a request, if it has one that the service takes. */
const keyOf = ({ requestHeaders }: Partial<LoggedRequest>) =>
  /^[ -~]{1,255}$/.exec(requestHeaders?.["idempotency-key"] ?? "")?.[0];

/** Requests that follow each other. */
export interface Written {
  /** The id of the last of them. */
  readonly last: number;
  /** A JSON array, the oldest first. */
  readonly entries: string;
  readonly bytes: number;
}

/** The settings of the record. */
interface Settings {
  /** What is recorded; `undefined` for the default. */
  readonly mode?: RecordMode;
  /** The named data that the last reset put into the sandbox, if it has a name, and the last request before that. */
  readonly began: { readonly data?: "empty" | "classic" | undefined; readonly after: number };
}

/**
 * The last requests to a sandbox. They are written a moment after the answers, many in one row: an object holds its
 * answers back until its writes are durable, so no answer may wait for its own entry.
 */
export class RequestLog {
  readonly #database: SandboxDatabase;
  readonly #onWritten: () => void;
  /** Pending requests, oldest first, as JSON without ids, and their idempotency keys. */
  #pending: { readonly entry: string; readonly key: string | undefined }[] = [];
  #pendingBytes = 0;
  #settings: Settings | undefined;
  /** The idempotency keys of the requests in the log, oldest first; `undefined` until they are read. */
  #keys: { readonly id: number; readonly key: string | undefined }[] | undefined;
  /** How often the log was emptied. */
  timesEmptied = 0;

  /** @param onWritten called after requests were written */
  constructor(database: SandboxDatabase, onWritten: () => void) {
    this.#database = database;
    this.#onWritten = onWritten;
  }

  /** Adds a request. @returns whether it is the first pending one */
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
    const deleted = this.#database.rows(DELETE_OLD).map((row) => Number(row["last"]));
    const gone = Math.max(newest - MOST, ...deleted);
    this.#keys = this.#keys?.filter(({ id }) => id > gone);
    this.#onWritten();
  }

  /** Read once in the life of the sandbox. */
  get settings(): Settings {
    if (!this.#settings) {
      const rows = this.#database.rows(`SELECT * FROM "sandbox_settings"`);
      const kept = rows.map(({ key, value }) => [key, JSON.parse(value as string) as unknown]);
      // A sandbox is made empty.
      const began = { data: "empty", after: 0 } as const;
      this.#settings = { began, ...(Object.fromEntries(kept) as Partial<Settings>) };
    }
    return this.#settings;
  }

  set settings(settings: Partial<Settings>) {
    for (const [key, value] of Object.entries(settings)) {
      const json = JSON.stringify(value);
      this.#database.rows(`INSERT OR REPLACE INTO "sandbox_settings" VALUES (?, ?)`, key, json);
    }
    this.#settings = undefined;
  }

  /** Begins again, after the sandbox was filled. @param data the name of its data, if it has one */
  begin(data: Settings["began"]["data"]): void {
    this.clear();
    this.settings = { began: { data, after: this.last } };
  }

  /** The id of the last request, also if the log has been emptied since. */
  get last(): number {
    const [{ last }] = this.#database.rows(LAST) as unknown as [Pick<Written, "last">];
    return last;
  }

  /** The first request in the log with this idempotency key, if any. @param id the request that has it now */
  #firstWith(key: string, id: number): number | undefined {
    this.#keys ??= this.#written()
      .toReversed()
      .map((written) => ({ id: written.id, key: keyOf(written) }));
    const first = this.#keys.find((known) => known.key === key);
    this.#keys.push({ id, key });
    return first?.id;
  }

  /** The requests after this id, if there are any, or the first of them. The id is the last of a row. */
  after(id: number): Written | undefined {
    const rows = this.#database.rows(AFTER, id) as unknown as Written[];
    const end = rows.at(-1);
    const entries = `[${rows.map((row) => row.entries.slice(1, -1)).join(",")}]`;
    return end && { ...end, entries };
  }

  /** The last requests, newest first. Writes pending ones first, so that they have ids. */
  get requests(): readonly LoggedRequest[] {
    this.write();
    return this.#written();
  }

  #written(): readonly LoggedRequest[] {
    const rows = this.#database.rows(`SELECT "entries" FROM "sandbox_requests" ORDER BY "last"`);
    const requests = rows.flatMap(
      ({ entries }) => JSON.parse(entries as string) as LoggedRequest[],
    );
    return requests.toReversed().slice(0, MOST);
  }

  /** Empties the log. */
  clear(): void {
    this.forget();
    for (const statement of CLEAR) this.#database.rows(statement);
  }

  /** Forgets what is not in the database. */
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
