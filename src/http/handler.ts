import type { Context } from "hono";
import type { App } from "./context.ts";
import type { Principal, Services } from "../services.ts";
import type { Created, KeepStatement } from "../db/idempotency-keys.ts";
import type { Preconditions } from "../db/conditions.ts";
import type { JsonText } from "../json-text.ts";
import type { ErrorDetails, FieldError } from "./errors.ts";
import type { ErrorStatus, Inputs, Operation, SuccessBody } from "./operation.ts";

interface Shown<Content> {
  /** A stream is sent unchanged. The handler states its `Content-Type`. */
  readonly body: Content | JsonText<Content> | ReadableStream;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A success without an `ETag` of ours. */
export interface Success<Content> extends Shown<Content> {
  readonly version?: undefined;
  readonly id?: undefined;
}

/** A success with an `ETag`. */
export interface TaggedSuccess<Content> extends Shown<Content> {
  /** The `ETag` shows it. */
  readonly version: number;
  /** The id of the resource in the body. */
  readonly id?: number;
}

/**
 * The success of an operation, as its handler returns it. It has a `version` if and only if the operation has an
 * `ETag`. It has an `id` if the operation names its item by an id below the path. Anything else is a compile error.
 */
export type SuccessOf<Op extends Operation> = Op extends { readonly etag: true }
  ? TaggedSuccess<SuccessBody<Op>> &
      (Op extends { readonly showsItem: true } ? { readonly id: number } : unknown)
  : Success<SuccessBody<Op>>;

/** A declared error of an operation, as its handler returns it. */
export class Failure<Status extends number> {
  readonly status: Status;
  readonly details: ErrorDetails;

  constructor(status: Status, details: ErrorDetails = {}) {
    this.status = status;
    this.details = details;
  }
}

/** Makes a declared error. A status that the operation does not declare is a compile error. */
export function fail<Status extends number>(
  status: Status,
  errors: readonly FieldError[] = [],
  headers: Readonly<Record<string, string>> = {},
): Failure<Status> {
  return new Failure(status, { errors, headers });
}

/** The error of a change that found no row, or found a row that does not meet the preconditions. */
export function changeFailure(why: "missing" | "changed"): Failure<404 | 412> {
  return why === "missing" ? new Failure(404) : new Failure(412);
}

/** What a handler gets: the parsed inputs of its operation, and the services it may use. */
export interface Call<Op extends Operation> extends Inputs<Op>, Services {
  /** The preconditions of the request. Empty unless the operation declares 412. */
  readonly preconditions: Preconditions;
  /** The caller. `undefined` if access is open or the operation is for anyone: then there is nothing to check. */
  readonly principal: Principal | undefined;
  readonly method: string;
  readonly headers: Headers;
  readonly url: string;
}

/**
 * What an operation does: success, or one of the statuses that it declares.
 * @typeParam Here what it needs besides the services
 */
export type Handler<Op extends Operation, Here = unknown> = (
  call: Call<Op> & Here,
) => Promise<SuccessOf<Op> | Failure<ErrorStatus<Op>>>;

/** How an operation repeats its answer to a request that was done before. */
export type Replay<Op extends Operation> =
  | {
      /** The answer follows from the request alone. */
      readonly keep: null;
      readonly answer: (inputs: Inputs<Op>) => SuccessOf<Op>;
    }
  | {
      /** Stores the id and version from the database, because the answer has them. */
      readonly keep: KeepStatement;
      readonly answer: (inputs: Inputs<Op>, created: Created) => SuccessOf<Op>;
    };

/** An operation with its handler, ready to be routed. */
export interface Endpoint<Here = unknown> {
  readonly operation: Operation;
  /** @param principal the caller; `undefined` if the operation needs no credential */
  serve(
    c: Context<App>,
    services: Services & Here,
    principal: Principal | undefined,
  ): Promise<Response>;
}
