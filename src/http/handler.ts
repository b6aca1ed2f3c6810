import type { Context } from "hono";
import type { App } from "./context.ts";
import type { Principal, Services } from "../services.ts";
import type { Preconditions, Resource } from "../db/versions.ts";
import type { Created } from "../db/idempotency-keys.ts";
import type { JsonText } from "./json-text.ts";
import type { ErrorDetails, FieldError } from "./errors.ts";
import type { ErrorStatus, Inputs, Operation, SuccessBody } from "./operation.ts";

export type { Created };

/** A success, as a handler returns it. */
export interface Success<Content> {
  /** A stream is sent unchanged. The handler states its `Content-Type`. */
  readonly body: Content | JsonText<Content> | ReadableStream;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The success of an operation. If the operation has an `ETag`, its `version` makes it. If the operation shows an item
 * below its path, `id` is the item's.
 */
export type SuccessOf<Op extends Operation> = Success<SuccessBody<Op>> &
  (Op extends { readonly etag: true }
    ? { readonly version: number; readonly id?: number }
    : { readonly version?: undefined; readonly id?: undefined }) &
  (Op extends { readonly showsItem: true } ? { readonly id: number } : unknown);

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
export type Call<Op extends Operation> = Inputs<Op> & Given;

interface Given extends Services {
  /** The preconditions of the request. Empty unless the operation declares 412. */
  readonly preconditions: Preconditions;
  /** The caller. `undefined` if access is open or the operation is for anyone: then there is nothing to check. */
  readonly principal: Principal | undefined;
  readonly method: string;
  readonly headers: Headers;
  readonly url: string;
  /** Of the request's interface: `/v2` or `/api/v3`, with the path of the sandbox before it. */
  readonly basePath: string;
}

type Answer<Op extends Operation> = SuccessOf<Op> | Failure<ErrorStatus<Op>>;

/**
 * What an operation does: success, or one of the statuses that it declares.
 * @typeParam Here what it needs besides the services
 */
export type Handler<Op extends Operation, Here = unknown> = (
  call: Call<Op> & Here,
) => Promise<Answer<Op>>;

/** How an operation repeats its answer to a request that was done before. */
export type Replay<Op extends Operation> =
  | {
      /** The answer follows from the request, or from what is stored now. */
      readonly creates: null;
      readonly answer: (call: Call<Op>) => Answer<Op> | Promise<Answer<Op>>;
    }
  | {
      /** The table of the new row, whose id and version the answer has. */
      readonly creates: Resource;
      readonly answer: (call: Call<Op>, created: Created) => SuccessOf<Op>;
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
