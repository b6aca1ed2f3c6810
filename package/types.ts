// The types of a store's data and records. test/types/package.ts checks that they equal the contracts of the service.

export type PetStatus = "available" | "pending" | "sold";

/** A pet. Without an id, the store chooses one. */
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

/** An order. Without an id, the store chooses one. */
export interface NewOrder {
  readonly id?: number | undefined;
  readonly petId?: number | undefined;
  readonly quantity?: number | undefined;
  /** ISO 8601. */
  readonly shipDate?: string | undefined;
  readonly status?: "placed" | "approved" | "delivered" | undefined;
  readonly complete?: boolean | undefined;
}

/** A user. Without an id, the store chooses one. */
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

/** All data of a store. */
export interface StoreContent {
  readonly pets: readonly Pet[];
  readonly orders: readonly Order[];
  readonly users: readonly User[];
}

/** The data of the classic Petstore, no data, or these resources. */
export type StoreData =
  | "classic"
  | "empty"
  | {
      readonly pets?: readonly NewPet[] | undefined;
      readonly orders?: readonly NewOrder[] | undefined;
      readonly users?: readonly NewUser[] | undefined;
    };

/** A rule that changes answers. The first matching rule wins. */
export interface FaultRule {
  /** `operationId`, `method` and `path` limit the rule. Default: all requests. */
  readonly operationId?: string | undefined;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | undefined;
  /** Below `/v2` and `/api/v3`: `/pet/1`, or `/pet/{petId}`. */
  readonly path?: string | undefined;
  /** How often the rule is used. Default: until you replace the rules. */
  readonly times?: number | undefined;
  /** With 3, every third matching request is affected. Default: each. */
  readonly every?: number | undefined;
  /** The share of matching requests that is affected, from 0 to 1. With 0.1, every tenth on average. */
  readonly chance?: number | undefined;
  /** Makes `chance` and ranges of `delayMs` repeatable. Default: random. */
  readonly seed?: number | undefined;
  /** The delay of the answer in milliseconds, or its range. */
  readonly delayMs?: number | readonly [least: number, most: number] | undefined;
  /** The status of an answer on demand: 200 to 599. */
  readonly status?: number | undefined;
  /** Whether the service does the request before it answers on demand. Default: false. */
  readonly after?: boolean | undefined;
  /** The `Retry-After` of the answer on demand, in seconds. */
  readonly retryAfter?: number | undefined;
  /** The body of the answer on demand. Default: that of the error, or none below 400. */
  readonly body?: string | undefined;
  /** Headers of the answer on demand, or of the real one. `null` leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /** A JSON Merge Patch (RFC 7396) of the real answer, or of each item of a list. */
  readonly patch?: Readonly<Record<string, unknown>> | undefined;
  /** How fast the body leaves. */
  readonly bytesPerSecond?: number | undefined;
  /** `body`: the connection breaks within the body. `json`: the JSON is cut off, but the response is complete. */
  readonly break?: "body" | "json" | undefined;
}

/** A request that a store answered. Without full recording, the members from `query` on are absent. */
export interface StoreRequest {
  /** Ascending, and never used again by the same store. */
  readonly id: number;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** The path, which starts with `/v2` or `/api/v3`, without the query. */
  readonly path: string;
  readonly status: number;
  /** The milliseconds until the answer, including the delay of a rule. */
  readonly ms: number;
  /** Absent for an unknown path or method. */
  readonly operationId?: string;
  /** The errors of the request's fields. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** The rule that affected the request. */
  readonly rule?: FaultRule;
  /** Whether the answer on demand was sent instead of the real one. */
  readonly replaced?: true;
  /** Whether a rule patched the answer. */
  readonly patched?: true;
  /** Whether a rule sent the answer slowly. */
  readonly slowed?: true;
  /** How the rule cut the answer off. Absent if the answer left whole. */
  readonly broken?: "body" | "json";
  /** The `id` of the first request with the same `Idempotency-Key`. */
  readonly retryOf?: number;
  readonly query?: string;
  /** The names are in lower case. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: RecordedBody;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: RecordedBody;
}

/** A body: its text, the first 16 KiB of its text, or the size and type of a body that is not text. */
export type RecordedBody =
  | string
  | { readonly text: string; readonly bytes: number; readonly cut: true }
  | { readonly bytes: number; readonly type: string };

/** Selects requests. Each absent member selects all. */
export interface RequestFilter {
  readonly id?: number | undefined;
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  /** `503`, or `"5xx"` for all from 500 to 599. */
  readonly status?: number | "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | undefined;
  /** Only requests with a larger `id`. */
  readonly after?: number | undefined;
  /** Only the newest. */
  readonly limit?: number | undefined;
}
