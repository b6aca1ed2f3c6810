import type { FieldError } from "../http/errors.ts";

/** A request to a store as its owner sees it. No query, header or body is in it: any may hold a password or a token. */
export interface LoggedRequest {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** Below the path of the store. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** What was wrong with the fields of the request. */
  readonly errors?: readonly FieldError[];
  /** Whether a rule of the store made the answer. */
  readonly isOnDemand?: true;
}

/** The largest number of requests in the log of a store. */
const MOST = 200;

/** The last requests to a store, newest first. */
export class RequestLog {
  #requests: readonly LoggedRequest[] = [];

  get requests(): readonly LoggedRequest[] {
    return this.#requests;
  }

  /** Adds requests in the order in which they were answered. */
  add(requests: readonly LoggedRequest[]): void {
    this.#requests = [...requests.toReversed(), ...this.#requests].slice(0, MOST);
  }

  clear(): void {
    this.#requests = [];
  }
}
