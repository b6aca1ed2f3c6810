import type { Bound } from "./statement.ts";

/** A write broke a UNIQUE constraint. */
export class NotUnique extends Error {
  override readonly name = "NotUnique";
}

/** The message of a database's fault. */
export function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : "";
}

/** Whether the message of a database's fault says that a UNIQUE constraint failed. */
export function saysNotUnique(message: string): boolean {
  return message.includes("UNIQUE constraint failed");
}

/** How to run statements. */
export interface Run {
  /** Whether one of them writes. */
  readonly writes: boolean;
  /** Running them twice has the same effect as once, so they may be retried. */
  readonly repeatable: boolean;
  /** Whether the rows must include every write from before the request. Otherwise a read may be older. */
  readonly latest: boolean;
}

/** Runs the statements of one request. D1 has one engine, the database of a sandbox another. */
export interface Engine {
  /**
   * Runs statements as one transaction, in one round trip.
   * @returns the rows of each statement
   * @throws NotUnique; Unavailable if the store fails, after retries if they may help
   */
  run(statements: readonly Bound<unknown>[], how: Run): Promise<unknown[][]>;
}
