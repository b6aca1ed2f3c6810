import { Unavailable } from "../platform/failures.ts";
import { findingOf, keepingIdsOf, statementsOf } from "./claims.ts";
import type { Claim } from "./claims.ts";
import { NotUnique } from "./engine.ts";
import type { Engine, Run } from "./engine.ts";
import type { Bound, RowsOf } from "./statement.ts";
import { isConditional } from "./versions.ts";
import type { Versions } from "./versions.ts";

/** The result of a write to one row: the row, or why there is none. */
export type Change<Row> = Row | "missing" | "changed";

/** An earlier request with the same claim did this work, so nothing was written. */
export class Repeated extends Error {
  override readonly name = "Repeated";
}

interface Repeatable {
  /** Running it twice has the same effect as once, so it may be retried. */
  readonly repeatable: boolean;
}

const READ: Run = { writes: false, repeatable: true, latest: false };
const READ_LATEST: Run = { ...READ, latest: true };
const REPEATABLE_WRITE: Run = { writes: true, repeatable: true, latest: false };

/**
 * The database of one request. Every method is one round trip, and atomic. It throws `NotUnique` if a UNIQUE constraint
 * fails, and `Unavailable` if the engine fails. Reads, and writes that are repeatable or claimed, are retried first.
 */
export class Database {
  readonly #engine: Engine;
  /** Used by the next write, then cleared. */
  #claim: Claim | undefined;

  constructor(engine: Engine, claim?: Claim) {
    this.#engine = engine;
    this.#claim = claim;
  }

  /** The same database, whose next write makes the claim if it changes a row. It throws `Repeated` if the claim exists. */
  claiming(claim: Claim): Database {
    return new Database(this.#engine, claim);
  }

  /** The rows of a read, which may come from a replica. */
  async read<Row>(statement: Bound<Row>): Promise<Row[]> {
    return (await this.#run([statement], READ))[0];
  }

  /** Reads for a decision that must see every write from before the request. */
  async readLatest<Row>(statement: Bound<Row>): Promise<Row[]> {
    return (await this.#run([statement], READ_LATEST))[0];
  }

  /** The rows that a write returns. */
  async write<Row>(statement: Bound<Row>, { repeatable }: Repeatable): Promise<Row[]> {
    return (await this.batch([statement], { repeatable }))[0];
  }

  /**
   * Writes data that must exist before the claimed write, and is safe to write twice.
   * @throws Repeated if the claim exists; what this wrote stays
   */
  async writeAhead<Row>(statement: Bound<Row>): Promise<Row[]> {
    if (!this.#claim) return this.write(statement, { repeatable: true });
    const [rows, found] = await this.#run([statement, findingOf(this.#claim)], REPEATABLE_WRITE);
    if (found.length > 0) throw new Repeated();
    return rows;
  }

  /**
   * Stores the ids of `count` new users with the idempotency key, if the request has one. Put this statement into the batch
   * right before those that generate the ids.
   */
  keepingIds(count: number): readonly Bound<never>[] {
    return this.#claim ? [keepingIdsOf(this.#claim, count)] : [];
  }

  /** Runs statements as one transaction, and returns the rows of each. */
  async batch<const Statements extends readonly Bound<unknown>[]>(
    statements: Statements,
    { repeatable }: Repeatable,
  ): Promise<RowsOf<Statements>> {
    const claim = this.#claim;
    if (!claim) return this.#run(statements, { ...REPEATABLE_WRITE, repeatable });
    this.#claim = undefined;
    const { before, after } = statementsOf(claim);
    try {
      const rows = await this.#run([...before, ...statements, ...after], REPEATABLE_WRITE);
      // `slice` forgets that these are the rows of the statements.
      return rows.slice(before.length, before.length + statements.length) as RowsOf<Statements>;
    } catch (error) {
      const isClaimed = error instanceof NotUnique && error.message.includes("idempotency_keys");
      throw isClaimed ? new Repeated() : error;
    }
  }

  /**
   * Inserts a row unless its id is taken.
   * @param insert does nothing on a conflict
   * @param present finds the row that has the chosen id; `undefined` if the database generates the id
   * @returns the row that has the id now, and whether it is the new one
   */
  async insert<Row extends object>(
    insert: Bound<Row>,
    present: Bound<Row> | undefined,
  ): Promise<{ readonly row: Row; readonly inserted: boolean }> {
    const [[created], [stored]] = present
      ? // A retry finds the row that the first attempt stored.
        await this.batch([insert, present], { repeatable: true })
      : [await this.write(insert, { repeatable: false }), []];
    const row = created ?? stored;
    if (!row) throw new Unavailable("the insert stored nothing, and no row has its id");
    return { row, inserted: created !== undefined };
  }

  /**
   * Writes one row, if its version is allowed.
   * @param write must not touch a row whose version is not allowed
   * @param find returns the row, whatever its version
   * @param options.refusal tells why `write` left the row untouched (by default, because of its version)
   */
  async change<Row, Found, Why = never>(
    write: Bound<Row>,
    find: Bound<Found>,
    {
      versions,
      repeatable,
      refusal,
    }: Repeatable & {
      readonly versions: Versions;
      readonly refusal?: (found: Found) => Why | "changed";
    },
  ): Promise<Change<Row> | Why> {
    const conditional = isConditional(versions);
    if (!conditional && !refusal) {
      return (await this.write(write, { repeatable }))[0] ?? "missing";
    }
    const [[written], [found]] = await this.batch(
      [write, find],
      // A write makes its own condition false, so a retry would fail.
      { repeatable: repeatable && !conditional },
    );
    if (written) return written;
    return found ? (refusal?.(found) ?? "changed") : "missing";
  }

  async #run<const Statements extends readonly Bound<unknown>[]>(
    statements: Statements,
    how: Run,
  ): Promise<RowsOf<Statements>> {
    // Each statement has the type of its rows, which no engine knows.
    return (await this.#engine.run(statements, how)) as RowsOf<Statements>;
  }
}
