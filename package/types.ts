// The types of what stores hold and show. test/types/package.ts checks that they equal the contracts of the service.

/** One of the statuses of a pet. */
export type PetStatus = "available" | "pending" | "sold";

/** A pet without its id, which the store may choose. */
export interface NewPet {
  readonly id?: number | undefined;
  readonly category?:
    | { readonly id?: number | undefined; readonly name?: string | undefined }
    | undefined;
  readonly name: string;
  /** One URL, several separated by commas, or an array. */
  readonly photoUrls: string | readonly string[];
  readonly tags?:
    | readonly (string | { readonly id?: number | undefined; readonly name?: string | undefined })[]
    | undefined;
  readonly status?: PetStatus | undefined;
}

/** An order without its id, which the store may choose. */
export interface NewOrder {
  readonly id?: number | undefined;
  readonly petId?: number | undefined;
  readonly quantity?: number | undefined;
  /** ISO 8601. */
  readonly shipDate?: string | undefined;
  readonly status?: "placed" | "approved" | "delivered" | undefined;
  readonly complete?: boolean | undefined;
}

/** A user without its id, which the store may choose. */
export interface NewUser {
  readonly id?: number | undefined;
  readonly username?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
  readonly phone?: string | undefined;
  readonly userStatus?: number | undefined;
}

interface Stored {
  readonly id: number;
}

export type Pet = NewPet & Stored;
export type Order = NewOrder & Stored;
export type User = NewUser & Stored;

/** All that a store holds. */
export interface StoreContent {
  readonly pets: readonly Pet[];
  readonly orders: readonly Order[];
  readonly users: readonly User[];
}

/** The data of a store: that of the classic Petstore, nothing, or these resources. */
export type StoreData =
  | "classic"
  | "empty"
  | {
      readonly pets?: readonly NewPet[] | undefined;
      readonly orders?: readonly NewOrder[] | undefined;
      readonly users?: readonly NewUser[] | undefined;
    };

/** A rule that makes requests fail. The first rule that applies to a request is used. */
export interface FaultRule {
  /** The rule is for all requests, unless these members limit it. */
  readonly operationId?: string | undefined;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | undefined;
  /** Below `/v2` and `/api/v3`: `/pet/1`, or `/pet/{petId}`. */
  readonly path?: string | undefined;
  /** How many times the rule is used. Without it, the rule is used until you replace the rules. */
  readonly times?: number | undefined;
  /** With 3, the rule is used for every third of these requests. Without it, for each of them. */
  readonly every?: number | undefined;
  /** The part of these requests that the rule is used for, from 0 to 1: 0.1 for every tenth, on average. */
  readonly chance?: number | undefined;
  /** `chance` and a range of delays are drawn from it, the same each time. Without it, one is chosen at random. */
  readonly seed?: number | undefined;
  /** How many milliseconds the answer is delayed, or the least and the most. */
  readonly delayMs?: number | readonly [least: number, most: number] | undefined;
  /** The status of the error: 400 to 599. */
  readonly status?: number | undefined;
  /** With `true`, the service does the request and then answers the error. Otherwise, it does not do the request. */
  readonly after?: boolean | undefined;
  /** The error's `Retry-After`, in seconds. */
  readonly retryAfter?: number | undefined;
  /** The error's body, in place of JSON. */
  readonly body?: string | undefined;
  /** `body`: the connection ends in the middle of the body. `json`: the body is cut, and ends cleanly. */
  readonly break?: "body" | "json" | undefined;
}

/** A request that a store answered. The members from `query` on are there unless the store records only lines. */
export interface StoreRequest {
  /** Ascends. A store uses each only once. */
  readonly id: number;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** The path with `/v2` or `/api/v3`, without a query. */
  readonly path: string;
  readonly status: number;
  /** How long the answer took, with what a rule delayed it. */
  readonly ms: number;
  /** Left out for an unknown path or method. */
  readonly operationId?: string;
  /** What was wrong with the fields of the request. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** The rule that applied to the request. */
  readonly rule?: FaultRule;
  /** The `id` of the first request with the same `Idempotency-Key`. */
  readonly retryOf?: number;
  readonly query?: string;
  /** By name in lower case. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: RecordedBody;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: RecordedBody;
}

/** A body: its text, the first 16 KiB of it, or how long it is if it is no text. */
export type RecordedBody =
  | string
  | { readonly text: string; readonly bytes: number; readonly cut: true }
  | { readonly bytes: number; readonly type: string };

/** Which requests are meant. Without a member, all are. */
export interface RequestFilter {
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  /** `503`, or `"5xx"` for all from 500 to 599. */
  readonly status?: number | "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | undefined;
  /** Only requests with a larger `id`. */
  readonly after?: number | undefined;
  /** Only the newest. */
  readonly limit?: number | undefined;
}
