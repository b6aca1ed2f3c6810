import type { Created } from "../db/claims.ts";
import type { Resource } from "../db/ids.ts";
import type { Principal, Services } from "../services.ts";
import type { ErrorDetails, FieldError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { ErrorName, Inputs, Operation, Result, Showable } from "./operation.ts";
import type { Preconditions } from "./preconditions.ts";

/** A success, as a handler returns it. */
export interface Success<Body> {
  /** The result, which the operation shows. A stream is sent unchanged, with the handler's `Content-Type`. */
  readonly body: Body;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The version of the resource in the body. Ignored unless the operation has an `ETag`. */
  readonly version?: number;
  /** The id of that resource, for `Content-Location`. */
  readonly id?: number;
}

/** The success of an operation, with the members that it requires. */
type SuccessOf<Op extends Operation> = Success<Result<Op>> &
  (Op extends { readonly etag: true } ? { readonly version: number } : unknown) &
  (Op extends { readonly showsItem: true } ? { readonly id: number } : unknown);

/** An error that the operation declares, as a handler returns it. */
export class Failure<Name extends string> {
  readonly error: Name;
  readonly details: ErrorDetails;

  constructor(error: Name, details: ErrorDetails) {
    this.error = error;
    this.details = details;
  }
}

/** Returns an error by its name. A name that the operation does not declare does not compile. */
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
  /** The content of a success with this result, for a handler that compares it. */
  shown(this: void, result: Showable<Op>): unknown;
  /** The preconditions of the request. Empty unless the operation declares `changed`. */
  readonly preconditions: Preconditions;
  /** The caller. `undefined` if there is nothing to check: access is open, or the operation is for anyone. */
  readonly principal: Principal | undefined;
  readonly method: string;
  readonly headers: Headers;
  readonly url: string;
  /** `/v2` or `/api/v3`, after the path of the sandbox if there is one. */
  readonly basePath: string;
}

type Answer<Op extends Operation> = SuccessOf<Op> | Failure<ErrorName<Op>>;

/**
 * Carries out an operation. Returns a success, or an error that the operation declares.
 * @typeParam Here what it needs besides the services
 */
export type Handler<Op extends Operation, Here = unknown> = (
  call: Call<Op> & Here,
) => Promise<Answer<Op>>;

/** How an operation answers a retry of a request that was done. */
export type Replay<Op extends Operation> =
  | {
      /** The request, or what is stored now, is enough for the answer. */
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
  answer(exchange: Exchange, services: Services & Here): Promise<Response>;
}
