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

/** D1 as one request sees it: with all writes before its bookmark, and its own. */
export class Session {
  readonly #d1: D1Database;
  #session: D1DatabaseSession;
  #isBookmarked: boolean;
  /** The bookmark of the session before this one. */
  #earlier: string | undefined;
  /** A new session returns the bookmark that it begins at, also before it was asked anything. */
  #wasAsked = false;

  /**
   * @param bookmark of an earlier session: any replica that is as new may answer reads. Without one, or with a value
   *   that is not one, the session begins at the primary, so that plain clients read their own writes (interface §7.5).
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

  /** A later session that begins here sees everything that this one saw; `undefined` before the first call. */
  get bookmark(): string | undefined {
    return this.#wasAsked ? (this.#session.getBookmark() ?? this.#earlier) : undefined;
  }

  /**
   * Sends the next query to the primary, for decisions that must not use data from before the request. Replicas that
   * answer later are at least as new as the primary was then.
   */
  usePrimary(): void {
    this.#earlier = this.bookmark;
    this.#session = this.#d1.withSession(PRIMARY);
    this.#isBookmarked = false;
  }

  /** Forgets a bookmark under which D1 fails, so that no answer returns it. */
  dropBookmark(): void {
    this.usePrimary();
    this.#earlier = undefined;
  }

  /**
   * Calls D1, and again if that may help.
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
      // The next query asks for the row in the way, and a replica may not have it yet.
      this.usePrimary();
      throw new NotUnique(message);
    }
  }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : "";
}
