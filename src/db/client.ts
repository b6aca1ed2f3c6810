import { Unavailable } from "../unavailable.ts";
import { findingOf, statementsOf } from "./claim.ts";
import type { Claim } from "./claim.ts";
import { NotUnique } from "./session.ts";
import type { Session } from "./session.ts";
import type { Bound, Statement } from "./statement.ts";

type Rows<Statements extends readonly Bound<unknown>[]> = {
  [Index in keyof Statements]: Statements[Index] extends Bound<infer Row> ? Row[] : never;
};

/** The result of a write to one row: the row, or why there is none. */
export type Change<Row> = Row | "missing" | "changed";

/** An earlier request with the same claim did this work. Nothing was written. */
export class Repeated extends Error {
  override readonly name = "Repeated";
}

interface Repeatable {
  /** Running it twice has the same effect as once, so it may be tried again. */
  readonly repeatable: boolean;
}

/**
 * D1 for one request. Every method is one round trip, and atomic.
 *
 * Each throws `Unavailable` if D1 fails, after up to four more tries if the fault was transient and the statements are
 * reads, repeatable or claimed. Each throws `NotUnique` if a UNIQUE constraint fails.
 */
export class Database {
  readonly #session: Session;
  /** Of the next write. */
  #claim: Claim | undefined;

  constructor(session: Session, claim?: Claim) {
    this.#session = session;
    this.#claim = claim;
  }

  /**
   * The same database with a claim on its next write: the write throws `Repeated` if the claim exists. A write that
   * changes no row claims nothing.
   */
  claiming(claim: Claim): Database {
    return new Database(this.#session, claim);
  }

  /** A later session that begins here sees everything that this one saw; `undefined` before the first call. */
  get bookmark(): string | undefined {
    return this.#session.bookmark;
  }

  /** Sends the next query to the primary, for decisions that must not use data from before the request. */
  usePrimary(): void {
    this.#session.usePrimary();
  }

  /** Reads rows. If that fails under the client's bookmark, asks the primary once without it. */
  async read<Row>(statement: Bound<Row>): Promise<Row[]> {
    const session = this.#session;
    const all = (d1: D1DatabaseSession) => prepared(d1, statement).all<Row>();
    if (!session.isBookmarked) return (await session.ask(all, true)).results;
    try {
      return (await session.ask(all, true)).results;
    } catch {
      session.dropBookmark();
      return (await session.ask(all, false)).results;
    }
  }

  /** Writes, and returns the rows of the statement. */
  async write<Row>(statement: Bound<Row>, { repeatable }: Repeatable): Promise<Row[]> {
    if (this.#claim) return (await this.batch([statement], { repeatable }))[0];
    this.#beginWrite();
    const { results } = await this.#session.ask(
      (d1) => prepared(d1, statement).all<Row>(),
      repeatable,
    );
    return results;
  }

  /**
   * Writes data that must exist before the claimed write, and that may be written twice.
   * @returns the rows that the statement returns
   * @throws Repeated if the claim exists; the rows that this wrote stay
   */
  async writeAhead<Row>(statement: Bound<Row>): Promise<Row[]> {
    if (!this.#claim) return this.write(statement, { repeatable: true });
    const [rows = [], found = []] = await this.#batch([statement, findingOf(this.#claim)], true);
    if (found.length > 0) throw new Repeated();
    return rows as Row[];
  }

  /** Runs several statements as one transaction, and returns the rows of each. */
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
   * @param insert does nothing on a conflict, and chooses a free id if it gets none
   * @param byId returns the row with an id
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
        ? [await this.write(insert(values), { repeatable: false }), []]
        : // Tried again, it finds the row that the first try stored.
          await this.batch([insert(values), byId({ id })], { repeatable: true });
    const row = created ?? present;
    if (row === undefined)
      throw new Unavailable("nothing was inserted, and nothing was in the way");
    return { row, inserted: created !== undefined };
  }

  /**
   * Writes one row under the preconditions of the request, if there are any.
   * @param write must not touch a row whose version is not among the condition's
   * @param find returns the row, whatever its version
   */
  async change<Row>(
    write: Bound<Row>,
    find: Bound<unknown>,
    { conditional, repeatable }: Repeatable & { readonly conditional: boolean },
  ): Promise<Change<Row>> {
    if (!conditional) return (await this.write(write, { repeatable }))[0] ?? "missing";
    // A conditional write that was done no longer meets its own condition, so it must not be tried again.
    const [written, found] = await this.batch([write, find], { repeatable: false });
    return written[0] ?? (found.length > 0 ? "changed" : "missing");
  }

  /**
   * The primary does every write, so a write ignores the client's bookmark. A bad bookmark could make a write fail
   * without anyone knowing whether it was done.
   */
  #beginWrite(): void {
    if (this.#session.isBookmarked) this.#session.usePrimary();
  }

  async #batch(statements: readonly Bound<unknown>[], repeatable: boolean): Promise<unknown[][]> {
    this.#beginWrite();
    const answered = await this.#session.ask(
      (d1) => d1.batch(statements.map((statement) => prepared(d1, statement))),
      repeatable,
    );
    return answered.map(({ results }) => results);
  }
}

function prepared(d1: D1DatabaseSession, { sql, values }: Bound<unknown>): D1PreparedStatement {
  return d1.prepare(sql).bind(...values);
}
