import type * as v from "valibot";

/** Checks untrusted input. `Output` is what the handler gets. */
export type Schema<Output = unknown> = v.GenericSchema<unknown, Output>;

/** The format of a body. */
export type BodyFormat = "json" | "form" | "multipart" | "binary";

/** What the contract says about the body of a request. */
export interface StatedBody {
  readonly schema: Schema<object>;
  /** Whether the body may be left out. It is an empty object then. */
  readonly optional?: true;
  /** Default: JSON. */
  readonly format?: BodyFormat;
  /** The largest body, in bytes. Default: `MAX_BODY_BYTES`. */
  readonly maxBytes?: number;
  /** The largest number of values in JSON. Default: `MAX_BODY_VALUES`. */
  readonly maxValues?: number;
  /** Status for a body that does not match the schema. */
  readonly invalid: number;
  /** Status for a body that cannot be read, or has another type at the top. Default: `invalid`. */
  readonly malformed?: number;
  /** Status for an invalid member of this name, which is checked before all others. */
  readonly first?: { readonly member: string; readonly invalid: number };
}

/** What the contract says about one operation. Types, checks and documents all come from it. */
export interface Operation {
  /** The operationId of Swagger Petstore. */
  readonly id: string;
  /**
   * Who may call the operation if access is protected (interface §6.4): anyone, anyone with a session or the API key, or
   * the API key and the owner of the resource, whom the handler checks.
   */
  readonly access: "anyone" | "authenticated" | "owner";
  /** Path parameters by name, each a string. Invalid: 400. */
  readonly params?: Schema<object>;
  /** Query parameters by name, each an array of strings. Invalid: 400. */
  readonly query?: Schema<object>;
  readonly body?: StatedBody;
  readonly success: Schema;
  /** The success is this line of text, and not what the handler returns. */
  readonly line?: string;
  /** Media types of a success that is not JSON: bytes, with `ETag`, `If-None-Match` and `Range`. */
  readonly binary?: readonly string[];
  /**
   * The success has a strong `ETag`. An operation that declares 412 honours `If-Match` and `If-None-Match`: `implement`
   * checks them for a read, and the handler for a write (`preconditions`).
   */
  readonly etag?: true;
  /** The success shows a resource below this path. Its `Content-Location` is `{path}/{id}` (RFC 9110 §8.7). */
  readonly showsItem?: true;
  /** Accepts an `Idempotency-Key`: a repeat of a request gets the same answer, and nothing is done again. */
  readonly idempotent?: true;
  /** Accepts the header `api_key` (interface §6.5). */
  readonly apiKey?: true;
  /** It never calls the database. */
  readonly withoutDatabase?: true;
  /** Nobody may store an answer of this operation. */
  readonly noStore?: true;
  /** Scripts of other origins cannot read its answers. All operations of its path have this. */
  readonly private?: true;
  /** Statuses other than success, each with its meaning (interface §8.2). */
  readonly errors: Readonly<Record<number, string>>;
}

/** States an operation, and keeps its exact type. */
export function operation<const Stated extends Operation>(stated: Stated): Stated {
  return stated;
}

/** A status that the operation declares. */
export type ErrorStatus<Op extends Operation> = keyof Op["errors"] & number;

type OutputOf<S> = S extends v.GenericSchema<unknown, infer Output> ? Output : undefined;

/** The parsed inputs of an operation. Operations whose inputs have the same types can share a handler. */
export type Inputs<Op extends Operation> = InputsOf<
  OutputOf<Op["params"]>,
  OutputOf<Op["query"]>,
  Op["body"] extends { schema: infer S } ? OutputOf<S> : undefined
>;

interface InputsOf<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** The body of the operation's success. */
export type SuccessBody<Op extends Operation> = OutputOf<Op["success"]>;
