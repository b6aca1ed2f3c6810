import type * as v from "valibot";
import type { BodyFormat } from "./body.ts";
import type { Keywords } from "./schemas.ts";

/** Reads untrusted input; `Output` is what the handler gets. */
export type Schema<Output = unknown> = v.GenericSchema<unknown, Output>;

/** Statuses other than success that an operation declares, each with its meaning (interface §8.2). */
export type DeclaredErrors = Readonly<Record<number, string>>;

/** A response header, for the documents. */
export interface ResponseHeader {
  readonly description: string;
  readonly schema: Keywords;
  readonly example: unknown;
}

/** What the contract says of one operation; everything else is read from here. */
export interface Operation {
  /** The operationId of Swagger Petstore. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * Who may call it where access is protected (interface §6.4): anyone; anyone with a session or the API key;
   * or, with a session, only the owner of the resource, whom its handler checks.
   */
  readonly access: "anyone" | "authenticated" | "owner";
  /** Path parameters by name, each a string. Invalid: 400. */
  readonly params?: Schema<object>;
  /** Query parameters by name, each an array of strings. Invalid: 400. */
  readonly query?: Schema<object>;
  readonly body?: {
    readonly schema: Schema<object>;
    /** It may be left out, and is an empty object then. */
    readonly optional?: true;
    /** Default: JSON. */
    readonly format?: BodyFormat;
    /** The largest body that is read, where it is not `MAX_BODY_BYTES`. */
    readonly maxBytes?: number;
    /** Most values that it has, where that is not `MAX_BODY_VALUES`. */
    readonly maxValues?: number;
    /** Status for a body that is malformed or does not fit. */
    readonly invalid: number;
    /** Status for a bad member of this name, which is checked before all others. */
    readonly first?: { readonly member: string; readonly invalid: number };
    /** A body that succeeds; none if it would have a file. */
    readonly example?: unknown;
  };
  /** Values of the parameters that succeed. */
  readonly examples?: Readonly<Record<string, unknown>>;
  readonly success: Schema;
  /** An example of a success; none if it is not JSON. */
  readonly result?: unknown;
  /** Media types of a success that is no JSON: bytes, with `ETag`, `If-None-Match` and `Range`. */
  readonly binary?: readonly string[];
  /** Response headers of a success, besides those that every answer has. */
  readonly headers?: Readonly<Record<string, ResponseHeader>>;
  /** The same, for headers that an answer may not have. */
  readonly optionalHeaders?: Readonly<Record<string, ResponseHeader>>;
  /**
   * The success carries a strong `ETag`. An operation that declares 412 honours `If-Match` and `If-None-Match`:
   * a read of itself, a write by its handler, which gets them as `preconditions`.
   */
  readonly etag?: true;
  /**
   * The success shows a resource below this path, at `{path}/{id}`: it carries that as its `Content-Location`
   * (RFC 9110 §8.7).
   */
  readonly showsItem?: true;
  /**
   * Takes an `Idempotency-Key`: a request that was done before with its key gets its answer again, and is not done
   * again.
   */
  readonly idempotent?: true;
  /** Takes the header `api_key` (interface §6.5). */
  readonly apiKey?: true;
  /** It never asks the database. */
  readonly withoutDatabase?: true;
  /** No answer of this operation may be stored by anyone. */
  readonly noStore?: true;
  readonly errors: DeclaredErrors;
}

/**
 * States an operation, keeping its exact type.
 * @example
 * export const getPetById = operation({
 *   id: "getPetById",
 *   access: "anyone",
 *   summary: "Find a pet by its id",
 *   params: v.object({ petId: PathId }),
 *   examples: { petId: 1 },
 *   success: Pet,
 *   result: petExample,
 *   etag: true,
 *   errors: { 400: "Invalid ID supplied", 404: "Pet not found", 412: "Pet does not meet the precondition" },
 * });
 */
export function operation<const Stated extends Operation>(stated: Stated): Stated {
  return stated;
}

/** A status that the operation declares. */
export type ErrorStatus<Op extends Operation> = keyof Op["errors"] & number;

type OutputOf<S> = S extends v.GenericSchema<unknown, infer Output> ? Output : undefined;

/** The parsed inputs of an operation. */
export interface Inputs<Op extends Operation> {
  readonly params: OutputOf<Op["params"]>;
  readonly query: OutputOf<Op["query"]>;
  readonly body: Op["body"] extends { schema: infer S } ? OutputOf<S> : undefined;
}

/** The body of the operation's success. */
export type SuccessBody<Op extends Operation> = OutputOf<Op["success"]>;
