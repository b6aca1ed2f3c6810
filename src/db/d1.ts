import { Unavailable, withRetries } from "../platform/failures.ts";
import { NotUnique, messageOf, saysNotUnique } from "./engine.ts";
import type { Engine, Run } from "./engine.ts";
import type { Bound } from "./statement.ts";

/** The errors that D1's documentation says to retry. */
const TRANSIENT =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|Replica disconnected from primary|transient issue on remote node/;

/** A bookmark of D1. Local D1 does not check its bookmarks. */
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/** D1 as one request sees it: with every write up to its bookmark, and its own writes. */
export class D1Engine implements Engine {
  readonly #d1: D1Database;
  /** The client's bookmark. Cleared when a read fails, or something is written. */
  #begin: string | undefined;
  /** Opened by the first query. */
  #session: D1DatabaseSession | undefined;
  /** The bookmark of the session before this one. */
  #earlier: string | undefined;

  /**
   * @param bookmark of an earlier session: any replica that is at least as new may answer reads. Without a valid one, the
   *   session begins at the primary, so that clients read their own writes (interface §7.5).
   */
  constructor(d1: D1Database, bookmark?: string) {
    this.#d1 = d1;
    this.#begin = bookmark !== undefined && BOOKMARK.test(bookmark) ? bookmark : undefined;
  }

  /** A later session that begins here sees everything that this one saw. `undefined` before the first query. */
  get bookmark(): string | undefined {
    return this.#session?.getBookmark() ?? this.#earlier;
  }

  /**
   * A write ignores the client's bookmark: a bad one could make it fail, without telling whether it was done. If a read
   * fails with the bookmark, it is tried once more at the primary, without it.
   */
  async run(
    statements: readonly Bound<unknown>[],
    { writes, repeatable, latest }: Run,
  ): Promise<unknown[][]> {
    if (latest || (writes && this.#begin !== undefined)) this.#usePrimary();
    if (this.#begin === undefined) return this.#ask(statements, repeatable);
    try {
      return await this.#ask(statements, repeatable);
    } catch {
      this.#usePrimary();
      // The answer must not return a bookmark that makes D1 fail.
      this.#earlier = undefined;
      return this.#ask(statements, false);
    }
  }

  /** Sends the next query to the primary. Replicas that answer after it are at least as new. */
  #usePrimary(): void {
    this.#earlier = this.bookmark;
    this.#session = undefined;
    this.#begin = undefined;
  }

  async #ask(statements: readonly Bound<unknown>[], repeatable: boolean): Promise<unknown[][]> {
    const session = (this.#session ??= this.#d1.withSession(this.#begin ?? "first-primary"));
    try {
      return await withRetries(
        async () => rowsOf(session, statements),
        (fault) => repeatable && TRANSIENT.test(messageOf(fault)),
      );
    } catch (cause) {
      const message = messageOf(cause);
      if (!saysNotUnique(message)) throw new Unavailable("D1 failed", { cause });
      // The next query reads the row that has the id or name already. A replica may not have that row yet.
      this.#usePrimary();
      throw new NotUnique(message);
    }
  }
}

/** A single statement is cheaper for D1 than a batch of one. */
async function rowsOf(
  session: D1DatabaseSession,
  statements: readonly Bound<unknown>[],
): Promise<unknown[][]> {
  const [first, ...others] = statements.map(({ sql, values }) =>
    session.prepare(sql).bind(...values),
  );
  if (!first) return [];
  if (others.length === 0) return [(await first.all()).results];
  return (await session.batch([first, ...others])).map(({ results }) => results);
}
