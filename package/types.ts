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
  /** Below `/v2`: `/pet/1`, or `/pet/{petId}`. */
  readonly path?: string | undefined;
  /** How many times the rule is used. Without it, the rule is used until you replace the rules. */
  readonly times?: number | undefined;
  /** With 3, the rule is used for every third of these requests. Without it, for each of them. */
  readonly every?: number | undefined;
  /** How many milliseconds the answer is delayed. */
  readonly delayMs?: number | undefined;
  /** The status of the error: 400 to 599. */
  readonly status?: number | undefined;
  /** With `true`, the service does the request and then answers the error. Otherwise, it does not do the request. */
  readonly after?: boolean | undefined;
  /** The error's `Retry-After`, in seconds. */
  readonly retryAfter?: number | undefined;
}

/** A request that a store answered. */
export interface StoreRequest {
  /** Ascends, and is never used again while the store lives. */
  readonly id: number;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** The path with `/v2`, without a query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** What was wrong with the fields of the request. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** Whether a rule made the answer. */
  readonly isOnDemand?: true;
}
