import type { Context } from "hono";
import type { Created } from "../db/claims.ts";
import type { Resource } from "../db/ids.ts";
import type { Principal, Services } from "../services.ts";
import type { App } from "./context.ts";
import type { ErrorDetails, FieldError } from "./errors.ts";
import type { ErrorName, Inputs, Operation, Result, Showable } from "./operation.ts";
import type { Preconditions } from "./preconditions.ts";

/** A success, as a handler returns it. */
export interface Success<Body> {
  /** What the operation shows. A stream is sent unchanged, with the handler's `Content-Type`. */
  readonly body: Body;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The version of the resource that the success shows. Ignored unless the operation has an `ETag`. */
  readonly version?: number;
  /** The id of that resource, for its `Content-Location`. */
  readonly id?: number;
}

/** The success of an operation. */
export type SuccessOf<Op extends Operation> = Success<Result<Op>> &
  (Op extends { readonly etag: true } ? { readonly version: number } : unknown) &
  (Op extends { readonly showsItem: true } ? { readonly id: number } : unknown);

/** A declared error of an operation, as its handler returns it. */
export class Failure<Name extends string> {
  readonly error: Name;
  readonly details: ErrorDetails;

  constructor(error: Name, details: ErrorDetails) {
    this.error = error;
    this.details = details;
  }
}

/** Says which error happened. An error that the operation does not declare does not compile. */
export function fail<Name extends string>(
  error: Name,
  errors: readonly FieldError[] = [],
  headers: Readonly<Record<string, string>> = {},
): Failure<Name> {
  return new Failure(error, { errors, headers });
}

/** What a handler gets: the parsed inputs of its operation, and the services it may use. */
export type Call<Op extends Operation> = Inputs<Op> & Given<Op>;

interface Given<Op extends Operation> extends Services {
  /** A JSON body as it was sent. */
  readonly bytes: ArrayBuffer | undefined;
  /** The content of a success that shows this result, for a handler that compares it. */
  shown(this: void, result: Showable<Op>): unknown;
  /** The preconditions of the request. Empty unless the operation declares `changed`. */
  readonly preconditions: Preconditions;
  /** The caller. `undefined` if access is open or the operation is for anyone: then there is nothing to check. */
  readonly principal: Principal | undefined;
  readonly method: string;
  readonly headers: Headers;
  readonly url: string;
  /** The base path of the request: `/v2` or `/api/v3`, with the path of the sandbox before it. */
  readonly basePath: string;
}

type Answer<Op extends Operation> = SuccessOf<Op> | Failure<ErrorName<Op>>;

/**
 * What an operation does: success, or one of the errors that it declares.
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
      /** @param ids what the database generated for several new resources, ascending */
      readonly answer: (call: Call<Op>, ids: readonly number[]) => Answer<Op> | Promise<Answer<Op>>;
    }
  | {
      /** The table of the new row. */
      readonly creates: Resource;
      readonly answer: (
        call: Call<Op>,
        created: Created,
      ) => SuccessOf<Op> & { readonly version: number };
    };

/** An operation with its handler, ready to be routed. */
export interface Endpoint<Here = unknown> {
  readonly operation: Operation;
  /** @param principal the caller; `undefined` if the operation needs no credential */
  answer(
    c: Context<App>,
    services: Services & Here,
    principal: Principal | undefined,
  ): Promise<Response>;
}
