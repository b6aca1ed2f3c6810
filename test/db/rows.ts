import { expect } from "vitest";
import { clientWith } from "../fixtures.ts";
import { exchange, prepare } from "../operations.ts";
import type { Exchange, Special } from "../operations.ts";
import { Calls, d1Through } from "../stores.ts";

/** What D1 bills for, triggers included. */
export interface Rows {
  readonly read: number;
  readonly written: number;
}

/** Rows that the statements of one request read and wrote. */
export async function rowsOf(request: Exchange, status = 200): Promise<Rows> {
  const calls = new Calls();
  const answer = await exchange(clientWith({ DB: d1Through(calls) }), request);
  expect(answer.status).toBe(status);
  return { read: calls.rowsRead, written: calls.rowsWritten };
}

/** The same of a request of an operation. */
export async function rowsFor(id: string, special?: Special): Promise<Rows> {
  return rowsOf((await prepare(id, special)).request);
}
