import { Unavailable, withRetries } from "../unavailable.ts";
import { findingOf, statementsOf } from "./idempotency.ts";
import type { Claim } from "./idempotency.ts";
import { bind } from "./statement.ts";
import type { Bound, Statement } from "./statement.ts";

export { bind };
export type { Bound };

type Rows<Statements extends readonly Bound<unknown>[]> = {
  [Index in keyof Statements]: Statements[Index] extends Bound<infer Row> ? Row[] : never;
};

/** What became of a write to one row: the row, or why there was none. */
export type Change<Row> = Row | "missing" | "changed";

/** A write broke a UNIQUE constraint. */
export class NotUnique extends Error {
  override readonly name = "NotUnique";
}

/** What the request asks for was done before, under the same claim: nothing was written. */
export class Repeated extends Error {
  override readonly name = "Repeated";
}

interface Repeatable {
  /** Running it twice leaves what running it once does, so it may be tried again. */
  readonly repeatable: boolean;
}

// The faults after which D1's documentation asks for another try.
const TRANSIENT =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|Replica disconnected from primary|transient issue on remote node/;

/** What a bookmark of D1 looks like. Local D1 takes anything and gives it back. */
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/** A session whose first query goes to the primary; later ones may go to a replica that is as new as that. */
const PRIMARY = "first-primary";

/**
 * D1 for one request: a session that is consistent with the writes before its bookmark, and with its own.
 * Every method is one round trip, and atomic.
 *
 * All of them throw `Unavailable` where D1 fails, after up to four more tries if the fault was transient and
 * the statements are reads, repeatable or claimed; and `NotUnique` where a UNIQUE constraint was broken.
 */
export class Database {
  readonly #d1: D1Database;
  #session: D1DatabaseSession;
  /** Whether the session is one of the client's bookmark. */
  #isBookmarked: boolean;
  /** The bookmark of the session before this one. */
  #earlier: string | undefined;
  /** A session that begins at a bookmark would give it back at once. */
  #wasAsked = false;
  #claim: Claim | undefined;

  /**
   * @param bookmark of an earlier session: any replica that is as new may answer reads. Without one, or with one
   *   that is none, the session begins at the primary, so that plain clients read their own writes (interface §7.5).
   */
  constructor(d1: D1Database, bookmark?: string) {
    this.#d1 = d1;
    this.#isBookmarked = bookmark !== undefined && BOOKMARK.test(bookmark);
    this.#session = d1.withSession(this.#isBookmarked ? bookmark : PRIMARY);
  }

  /** What a later session needs to see all that this one saw; `undefined` before the first call. */
  get bookmark(): string | undefined {
    return this.#wasAsked ? (this.#session.getBookmark() ?? this.#earlier) : undefined;
  }

  /**
   * Asks the primary next, for what must not be decided by what was true before the request. Replicas that
   * answer after that are as new as the primary was then.
   */
  usePrimary(): void {
    this.#earlier = this.bookmark;
    this.#session = this.#d1.withSession(PRIMARY);
    this.#isBookmarked = false;
  }

  /** Forgets a bookmark under which D1 fails: no answer gives it back. */
  #dropBookmark(): void {
    this.usePrimary();
    this.#earlier = undefined;
  }

  /**
   * Makes the next write one that is done once: it throws `Repeated` where the claim was made before. Nothing
   * is claimed where the write changes no row.
   */
  once(claim: Claim): void {
    this.#claim = claim;
  }

  /** Reads rows. Where that fails under the client's bookmark, the primary is asked once without it. */
  async read<Values extends object, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): Promise<Row[]> {
    const bound = bind(statement, values);
    if (!this.#isBookmarked) return this.#run(bound, true);
    try {
      return await this.#run(bound, true);
    } catch {
      this.#dropBookmark();
      return this.#run(bound, false);
    }
  }

  /** Writes, and gives the rows that the statement returns. */
  async write<Values extends object, Row>(
    statement: Statement<Values, Row>,
    values: Values,
    { repeatable }: Repeatable,
  ): Promise<Row[]> {
    return this.#write(bind(statement, values), repeatable);
  }

  /**
   * Writes what must be known before the write that `once` is about, and may be written twice.
   * @returns the rows that the statement returns
   * @throws Repeated where the claim was made before; what this wrote stays
   */
  async writeAhead<Values extends object, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): Promise<Row[]> {
    const bound = bind(statement, values);
    if (!this.#claim) return this.#run(bound, true);
    const [rows = [], found = []] = await this.#batch([bound, findingOf(this.#claim)], true);
    if (found.length > 0) {
      this.#claim = undefined;
      throw new Repeated();
    }
    return rows as Row[];
  }

  /** Runs several statements as one transaction, and gives the rows of each. */
  async batch<const Statements extends readonly Bound<unknown>[]>(
    statements: Statements,
    { repeatable }: Repeatable,
  ): Promise<Rows<Statements>> {
    const claim = this.#claim;
    if (!claim) return (await this.#batch(statements, repeatable)) as Rows<Statements>;
    this.#claim = undefined;
    const { before, after } = statementsOf(claim);
    try {
      const rows = await this.#batch([...before, ...statements, ...after], true);
      return rows.slice(before.length, before.length + statements.length) as Rows<Statements>;
    } catch (error) {
      const isClaimed = error instanceof NotUnique && error.message.includes("idempotency_keys");
      throw isClaimed ? new Repeated() : error;
    }
  }

  /**
   * Inserts a row unless its id is taken.
   * @param insert does nothing on a conflict, and chooses an id that is free where none is given
   * @param byId gives the row that has an id
   * @returns the row that has the id now, and whether it is the new one
   */
  async insert<Values extends { readonly id: number | null }, Row>(
    insert: Statement<Values, Row>,
    values: Values,
    byId: Statement<{ id: number }, Row>,
  ): Promise<{ readonly row: Row; readonly inserted: boolean }> {
    const { id } = values;
    const [[created], [present]] =
      id === null
        ? [await this.write(insert, values, { repeatable: false }), []]
        : // Tried again, it finds the row that the first try stored.
          await this.batch([bind(insert, values), bind(byId, { id })], { repeatable: true });
    const row = created ?? present;
    if (row === undefined)
      throw new Unavailable("nothing was inserted, and nothing was in the way");
    return { row, inserted: created !== undefined };
  }

  /**
   * Writes one row under the condition that `If-Match` sets, if it sets one.
   * @param write must not touch a row whose version is not among the condition's
   * @param find gives the row whatever its version
   */
  async change<Row>(
    write: Bound<Row>,
    find: Bound<unknown>,
    { conditional, repeatable }: Repeatable & { readonly conditional: boolean },
  ): Promise<Change<Row>> {
    if (!conditional) return (await this.#write(write, repeatable))[0] ?? "missing";
    // Once done, a conditional write finds its condition broken: it must not be tried again.
    const [written, found] = await this.batch([write, find], { repeatable: false });
    return written[0] ?? (found.length > 0 ? "changed" : "missing");
  }

  async #write<Row>(bound: Bound<Row>, repeatable: boolean): Promise<Row[]> {
    if (!this.#claim) {
      this.#beginWrite();
      return this.#run(bound, repeatable);
    }
    const [rows] = await this.batch([bound], { repeatable });
    return rows;
  }

  /**
   * The primary does every write, so the client's bookmark has nothing to say: a bad one must not make a write fail
   * of which nobody knows then whether it was done.
   */
  #beginWrite(): void {
    if (this.#isBookmarked) this.usePrimary();
  }

  async #batch(statements: readonly Bound<unknown>[], repeatable: boolean): Promise<unknown[][]> {
    this.#beginWrite();
    try {
      const results = await attempt(repeatable, () =>
        this.#session.batch(statements.map((bound) => this.#prepare(bound))),
      );
      return results.map(({ results: rows }) => rows);
    } catch (error) {
      // What was in the way is asked for next, and a replica may not know of it yet.
      if (error instanceof NotUnique) this.usePrimary();
      throw error;
    }
  }

  async #run<Row>(bound: Bound<Row>, repeatable: boolean): Promise<Row[]> {
    const { results } = await attempt(repeatable, () => this.#prepare(bound).all<Row>());
    return results;
  }

  #prepare({ sql, values }: Bound<unknown>): D1PreparedStatement {
    this.#wasAsked = true;
    return this.#session.prepare(sql).bind(...values);
  }
}

/** Makes a call to D1, and again where that may help. */
async function attempt<T>(repeatable: boolean, run: () => Promise<T>): Promise<T> {
  try {
    return await withRetries(run, (fault) => repeatable && TRANSIENT.test(messageOf(fault)));
  } catch (cause) {
    const message = messageOf(cause);
    if (message.includes("UNIQUE constraint failed")) throw new NotUnique(message);
    throw new Unavailable("D1 failed", { cause });
  }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : "";
}
