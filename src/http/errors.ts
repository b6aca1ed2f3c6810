import * as v from "valibot";
import { utf8 } from "../platform/crypto.ts";

/** The status and the message of an error. */
export type DeclaredError = readonly [status: number, message: string];

/** Errors by name. Handlers know only the names. */
export type Errors = Readonly<Record<string, DeclaredError>>;

/** What is wrong with one field: its path in the input (`tags.0.id`), and what it must be. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** The largest number of wrong fields that one answer names (interface §2.9). */
export const MAX_ERRORS = 100;

/** The largest error, in bytes (interface §2.9). */
const MAX_BYTES = 32 * 1024;

/** Shortens a text, which may contain input of a client, to `most` characters. */
function cut(text: string, most: number): string {
  // A character takes at most two units of UTF-16.
  const shown = Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join("");
  return shown === text ? text : `${shown}…`;
}

/** The body of every answer that is not a success (interface §2.9). */
export interface ErrorBody {
  readonly code: number;
  readonly type: "error";
  readonly message: string;
  readonly errors?: readonly FieldError[];
}

/** Errors that any operation can have. No contract declares them (interface §8.3). */
export const GENERAL_ERRORS = {
  invalidKey: [400, "Invalid Idempotency-Key"],
  unauthenticated: [401, "Authentication required"],
  unknownPath: [404, "Not found"],
  wrongMethod: [405, "Method not allowed"],
  tooLarge: [413, "Content too large"],
  unsupportedType: [415, "Unsupported media type"],
  reusedKey: [422, "Idempotency-Key was used for another request"],
  tooMany: [429, "Too many requests"],
  defect: [500, "Internal error"],
  unavailable: [503, "Service unavailable"],
} as const satisfies Errors;

/** After how many seconds to retry, by status. The rate limits in wrangler.toml have a period of 60. */
const RETRY_SECONDS: Readonly<Record<number, number>> = { 429: 60, 503: 1 };

/** The header `Retry-After` of an error, if its status has one. */
export function retryAfter(status: number): Record<string, string> {
  const seconds = RETRY_SECONDS[status];
  return seconds === undefined ? {} : { "Retry-After": String(seconds) };
}

/** The details of an error, besides its status and message. */
export interface ErrorDetails {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the JSON. The headers have its type. */
  readonly text?: string;
}

/**
 * An answer that is not a success. `onError` in src/app.ts sends it. Hono's `HTTPException` carries a finished response, but
 * this one needs the exchange.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";

  readonly status: number;
  readonly details: ErrorDetails;

  constructor([status, message]: DeclaredError, details: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }

  /** An error that any operation can have. */
  static general(error: keyof typeof GENERAL_ERRORS, details?: ErrorDetails): ApiError {
    return new ApiError(GENERAL_ERRORS[error], details);
  }

  get body(): ErrorBody {
    const body = { code: this.status, type: "error", message: this.message } as const;
    // Several values of one parameter may have the same error.
    const distinct = new Map(
      this.details.errors?.map(({ path, message }) => {
        const error = { path: cut(path, 200), message: cut(message, 400) };
        return [JSON.stringify(error), error];
      }),
    );
    let room = MAX_BYTES - utf8(JSON.stringify({ ...body, errors: [] })).length;
    const errors = [...distinct]
      .slice(0, MAX_ERRORS)
      .filter(([json]) => (room -= utf8(json).length + ",".length) >= 0)
      .map(([, error]) => error);
    return errors.length > 0 ? { ...body, errors } : body;
  }
}

/**
 * Converts valibot's issues to the errors of an answer.
 * @param root the path of the whole input, for an issue that has no path of its own
 */
export function fieldErrors(issues: readonly v.BaseIssue<unknown>[], root: string): FieldError[] {
  return issues.map((issue) => ({
    path: v.getDotPath(issue) || root,
    message: issue.kind === "schema" && issue.input === undefined ? "is required" : issue.message,
  }));
}
