import type * as v from "valibot";
import type { Principal, Services } from "../services.ts";
import { GENERAL_ERRORS } from "./errors.ts";
import type { DeclaredError, Errors } from "./errors.ts";

/** Checks untrusted input. `Output` is what the handler gets. */
export type Schema<Output = unknown> = v.GenericSchema<unknown, Output>;

/** The format of a body. */
export type BodyFormat = "json" | "form" | "multipart" | "binary";

/** The contract of a request's body. */
export interface StatedBody {
  readonly schema: Schema<object>;
  /** A missing body counts as an empty object. */
  readonly optional?: true;
  /** Default: JSON. */
  readonly format?: BodyFormat;
  /** The largest body, in bytes. Default: `MAX_BODY_BYTES`. */
  readonly maxBytes?: number;
  /** The largest number of values in JSON. Default: `MAX_BODY_VALUES`. */
  readonly maxValues?: number;
  /** The most important member. If it is invalid, the error is `invalidFirst`, whatever else is wrong. */
  readonly first?: string;
}

/** Content that is already text, and is sent unchanged: JSON, unless the headers say otherwise. */
export class JsonText<Content> {
  readonly text: string;
  /** Never set: carries the type of the content. */
  declare readonly content?: Content;

  constructor(text: string) {
    this.text = text;
  }
}

/** A page of a list. */
export interface Page<Listed> {
  /** By ascending id. At least one, unless the list has ended. */
  readonly items: readonly Listed[];
  /** Whether another item follows them. */
  readonly more: boolean;
}

/** Reads at most `limit` items with ids greater than `after`, or fewer if they are large. */
export type ReadPage<Listed> = (page: {
  readonly after: number;
  readonly limit: number;
}) => Promise<Page<Listed>>;

/** Who gets an answer. */
export interface Viewer extends Pick<Services, "settings"> {
  /** Unset if access is open, or the operation is for anyone. */
  readonly principal: Principal | undefined;
}

/** The contract of one operation. Types, checks and documents are derived from it. */
export interface Operation {
  /** The operationId of Swagger Petstore. */
  readonly id: string;
  /**
   * Who may call the operation if access is protected (interface §6.4): anyone; any session and the API key; or the owner
   * of the resource, whom the handler checks, and the API key.
   */
  readonly access: "anyone" | "authenticated" | "owner";
  /** Path parameters by name, each a string. */
  readonly params?: Schema<object>;
  /** Query parameters by name, each an array of strings. */
  readonly query?: Schema<object>;
  readonly body?: StatedBody;
  /** The content of a success. */
  readonly success: Schema;
  /** Makes the content of a success from the handler's result. By default, the result is the content. */
  readonly show?: (result: never, viewer: Viewer) => unknown;
  /** The success is a list. The handler returns a function that reads pages, and `show` gets one item. */
  readonly paged?: true;
  /** The media types of a success. By default JSON. If empty, a success has no content. */
  readonly mediaTypes?: readonly string[];
  /** The success is bytes, with `ETag`, `If-None-Match` and `Range`. */
  readonly binary?: true;
  /**
   * The success has a strong `ETag`. An operation that declares the error `changed` honours `If-Match` and
   * `If-None-Match`: `implement` checks them for reads, and the handler for writes (`preconditions`).
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
  /** Every other outcome (interface §8.2). */
  readonly errors: Errors;
}

/** The errors that `implement` itself finds, depending on the inputs of an operation. */
type Found<Op> =
  | (Op extends { readonly params: unknown } | { readonly query: unknown }
      ? "invalidParameter"
      : never)
  | (Op extends { readonly body: StatedBody } ? "malformed" | "invalid" : never)
  | (Op extends { readonly body: { readonly first: string } } ? "invalidFirst" : never);

/** The parts of an operation must match: `errors` its inputs, and `show` its success. */
interface Complete<Op extends Operation> {
  readonly errors: Readonly<Record<Found<Op>, DeclaredError>>;
  readonly show?: (result: never, viewer: Viewer) => Shown<Op> | Promise<Shown<Op>>;
}

type Shown<Op extends Operation> = ItemOf<Op> | JsonText<ItemOf<Op>>;

type ItemOf<Op extends Operation> = Op extends { readonly paged: true }
  ? SuccessBody<Op> extends readonly (infer Item)[]
    ? Item
    : never
  : SuccessBody<Op>;

/** Declares an operation, and keeps its exact type. It does not compile without the errors that `implement` finds. */
export function operation<const Stated extends Operation>(
  stated: Stated & Complete<NoInfer<Stated>>,
): Stated {
  return stated;
}

/** The messages of an operation's errors, by status. Errors with the same status have the same message. */
export function messagesOf({ errors }: Operation): Readonly<Record<number, string>> {
  return Object.fromEntries(Object.values(errors));
}

/** The general errors that an operation can have only if it takes a body, or an idempotency key. */
export function errorsOfInputs({ body, idempotent }: Operation): readonly DeclaredError[] {
  const { tooLarge, unsupportedType, invalidKey, reusedKey } = GENERAL_ERRORS;
  return [
    ...(body ? [tooLarge, unsupportedType] : []),
    ...(idempotent ? [invalidKey, reusedKey] : []),
  ];
}

export type ErrorName<Op extends Operation> = keyof Op["errors"] & string;

type OutputOf<S> = S extends Schema ? v.InferOutput<S> : undefined;

/** The parsed inputs of an operation. Operations with inputs of the same types can share a handler. */
export interface Inputs<Op extends Operation> {
  readonly params: OutputOf<Op["params"]>;
  readonly query: OutputOf<Op["query"]>;
  readonly body: Op["body"] extends { schema: infer S } ? OutputOf<S> : undefined;
}

type SuccessBody<Op extends Operation> = OutputOf<Op["success"]>;

/** The argument of the operation's `show`. */
export type Showable<Op> = Op extends {
  readonly show: (result: infer Result, ...viewer: never[]) => unknown;
}
  ? Result
  : never;

/** The `body` of a success that a handler returns. */
export type Result<Op extends Operation> = Op extends { readonly paged: true }
  ? ReadPage<Showable<Op>>
  : Op extends { readonly show: unknown }
    ? Showable<Op>
    : SuccessBody<Op> | JsonText<SuccessBody<Op>> | ReadableStream;
