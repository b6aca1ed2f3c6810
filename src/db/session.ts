import { Unavailable, withRetries } from "../unavailable.ts";

/** A write broke a UNIQUE constraint. */
export class NotUnique extends Error {
  override readonly name = "NotUnique";
}

// The faults after which D1's documentation asks for another try.
const TRANSIENT =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|Replica disconnected from primary|transient issue on remote node/;

/** What a bookmark of D1 looks like. Local D1 takes anything and gives it back. */
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/** A session whose first query goes to the primary; later ones may go to a replica that is as new as that. */
const PRIMARY = "first-primary";

/** What one request sees of D1: consistent with the writes before its bookmark, and with its own. */
export class Session {
  readonly #d1: D1Database;
  #session: D1DatabaseSession;
  #isBookmarked: boolean;
  /** The bookmark of the session before this one. */
  #earlier: string | undefined;
  /** A session that begins at a bookmark would give it back at once. */
  #wasAsked = false;

  /**
   * @param bookmark of an earlier session: any replica that is as new may answer reads. Without one, or with one
   *   that is none, the session begins at the primary, so that plain clients read their own writes (interface §7.5).
   */
  constructor(d1: D1Database, bookmark?: string) {
    this.#d1 = d1;
    this.#isBookmarked = bookmark !== undefined && BOOKMARK.test(bookmark);
    this.#session = d1.withSession(this.#isBookmarked ? bookmark : PRIMARY);
  }

  /** Whether the session is one of the client's bookmark. */
  get isBookmarked(): boolean {
    return this.#isBookmarked;
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
  dropBookmark(): void {
    this.usePrimary();
    this.#earlier = undefined;
  }

  /**
   * Makes a call to D1, and again where that may help.
   * @param repeatable whether the call may be made twice
   * @throws Unavailable where D1 fails; NotUnique
   */
  async ask<T>(call: (d1: D1DatabaseSession) => Promise<T>, repeatable: boolean): Promise<T> {
    this.#wasAsked = true;
    try {
      return await withRetries(
        () => call(this.#session),
        (fault) => repeatable && TRANSIENT.test(messageOf(fault)),
      );
    } catch (cause) {
      const message = messageOf(cause);
      if (!message.includes("UNIQUE constraint failed")) {
        throw new Unavailable("D1 failed", { cause });
      }
      // What was in the way is asked for next, and a replica may not know of it yet.
      this.usePrimary();
      throw new NotUnique(message);
    }
  }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : "";
}
