import type { Bound } from "./statement.ts";

/** A write broke a UNIQUE constraint. */
export class NotUnique extends Error {
  override readonly name = "NotUnique";
}

/** Whether the message of a database's fault says that a UNIQUE constraint failed. */
export function saysNotUnique(message: string): boolean {
  return message.includes("UNIQUE constraint failed");
}

/** How statements must be run. */
export interface Run {
  /** Whether one of them writes. */
  readonly writes: boolean;
  /** Running them twice has the same effect as once, so they may be tried again. */
  readonly repeatable: boolean;
  /** Whether the rows must show every write from before the request. A read may otherwise show older rows. */
  readonly latest: boolean;
}

/** Runs the statements of one request. Each kind of store has its own engine. */
export interface Engine {
  /**
   * Runs statements as one transaction, in one round trip.
   * @returns the rows of each statement
   * @throws Unavailable if the store fails, after up to four more tries if that may help; NotUnique
   */
  run(statements: readonly Bound<unknown>[], how: Run): Promise<unknown[][]>;
}
