import type * as v from "valibot";
import type { Services } from "../services.ts";
import type { DeclaredError, Errors } from "./errors.ts";
import type { JsonText } from "./json-text.ts";
import type { ReadPage } from "./list.ts";

/** Checks untrusted input. `Output` is what the handler gets. */
export type Schema<Output = unknown> = v.GenericSchema<unknown, Output>;

/** The format of a body. */
export type BodyFormat = "json" | "form" | "multipart" | "binary";

/** What the contract says about the body of a request. */
export interface StatedBody {
  readonly schema: Schema<object>;
  /** The body may be missing. It is an empty object then. */
  readonly optional?: true;
  /** Default: JSON. */
  readonly format?: BodyFormat;
  /** The largest body, in bytes. Default: `MAX_BODY_BYTES`. */
  readonly maxBytes?: number;
  /** The largest number of values in JSON. Default: `MAX_BODY_VALUES`. */
  readonly maxValues?: number;
  /** The member that is checked before all others. If it is invalid, the error is `invalidFirst`. */
  readonly first?: string;
}

/** What the contract says about one operation. Types, checks and documents all come from it. */
export interface Operation {
  /** The operationId of Swagger Petstore. */
  readonly id: string;
  /**
   * Who may call the operation if access is protected (interface §6.4): anyone; anyone with a session or the API key; or
   * the owner of the resource, whom the handler checks, and the API key.
   */
  readonly access: "anyone" | "authenticated" | "owner";
  /** Path parameters by name, each a string. */
  readonly params?: Schema<object>;
  /** Query parameters by name, each an array of strings. */
  readonly query?: Schema<object>;
  readonly body?: StatedBody;
  /** The content of a success. */
  readonly success: Schema;
  /** Makes the content of a success from what the handler returns. Without it, the handler returns the content. */
  readonly show?: (result: never, services: Services) => unknown;
  /** The success is a list. The handler returns what reads its pages, and `show` gets one item. */
  readonly paged?: true;
  /** The success is this line of text, whatever the handler returns. */
  readonly line?: string;
  /** Media types of a success that is not JSON: bytes, with `ETag`, `If-None-Match` and `Range`. */
  readonly binary?: readonly string[];
  /**
   * The success has a strong `ETag`. If the operation declares the error `changed`, it honours `If-Match` and
   * `If-None-Match`: `implement` checks them for a read, and the handler for a write (`preconditions`).
   */
  readonly etag?: true;
  /** The success shows a resource below this path. Its `Content-Location` is `{path}/{id}` (RFC 9110 §8.7). */
  readonly showsItem?: true;
  /** Accepts an `Idempotency-Key`: a retry gets the first answer, and nothing is done twice. */
  readonly idempotent?: true;
  /** Accepts the header `api_key` (interface §6.5). */
  readonly apiKey?: true;
  /** Never calls the database. */
  readonly withoutDatabase?: true;
  /** No cache may store an answer of this operation. */
  readonly noStore?: true;
  /** Scripts of other origins cannot read its answers. All operations of its path have this. */
  readonly private?: true;
  /** Every other outcome. Only `implement` returns those that `Found` names (interface §8.2). */
  readonly errors: Errors;
}

/** The errors that `implement` finds itself, by what an operation has. */
type Found<Op> =
  | (Op extends { readonly params: unknown } | { readonly query: unknown }
      ? "invalidParameter"
      : never)
  | (Op extends { readonly body: StatedBody } ? "malformed" | "invalid" : never)
  | (Op extends { readonly body: { readonly first: string } } ? "invalidFirst" : never);

/** What the parts of an operation demand of each other. */
interface Complete<Op extends Operation> {
  readonly errors: Readonly<Record<Found<Op>, DeclaredError>>;
  readonly show?: (result: never, services: Services) => Shown<Op>;
}

type Awaitable<Value> = Value | Promise<Value>;

type Shown<Op extends Operation> = Awaitable<ItemOf<Op> | JsonText<ItemOf<Op>>>;

type ItemOf<Op extends Operation> = Op extends { readonly paged: true }
  ? SuccessBody<Op> extends readonly (infer Item)[]
    ? Item
    : never
  : SuccessBody<Op>;

/** States an operation, and keeps its exact type. An error that `implement` needs and nobody declares does not compile. */
export function operation<const Stated extends Operation>(
  stated: Stated & Complete<NoInfer<Stated>>,
): Stated {
  return stated;
}

/** The messages of an operation's errors by status. Errors with one status have one message. */
export function messagesOf({ errors }: Operation): Readonly<Record<number, string>> {
  return Object.fromEntries(Object.values(errors));
}

/** The name of an error that the operation declares. */
export type ErrorName<Op extends Operation> = keyof Op["errors"] & string;

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

/** The content of the operation's success. */
export type SuccessBody<Op extends Operation> = OutputOf<Op["success"]>;

/** What the operation's `show` takes. */
export type Showable<Op> = Op extends {
  readonly show: (result: infer Result, ...services: never[]) => unknown;
}
  ? Result
  : never;

/** What a handler returns as the result of a success. */
export type Result<Op extends Operation> = Op extends { readonly paged: true }
  ? ReadPage<Showable<Op>>
  : Op extends { readonly show: unknown }
    ? Showable<Op>
    : SuccessBody<Op> | JsonText<SuccessBody<Op>> | ReadableStream;
