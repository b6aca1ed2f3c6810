// What stores hold and tell. test/types/package.ts holds them equal to the contracts of the service.

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

/** What a store is to hold: the data of the classic Petstore, nothing, or these. */
export type StoreData =
  | "classic"
  | "empty"
  | {
      readonly pets?: readonly NewPet[] | undefined;
      readonly orders?: readonly NewOrder[] | undefined;
      readonly users?: readonly NewUser[] | undefined;
    };

/** Makes answers fail. The first rule that applies to a request is used. */
export interface FaultRule {
  /** The requests that it is for: all of them, unless these say otherwise. */
  readonly operationId?: string | undefined;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | undefined;
  /** Below `/v2`: `/pet/1`, or `/pet/{petId}`. */
  readonly path?: string | undefined;
  /** How often it is used; without it, until the rules are replaced. */
  readonly times?: number | undefined;
  /** It is used for every such request of this number; without it, for each. */
  readonly every?: number | undefined;
  /** The answer comes so many milliseconds late. */
  readonly delayMs?: number | undefined;
  /** The error that is answered: 400 to 599. */
  readonly status?: number | undefined;
  /** The error is answered after the request was done, not instead. */
  readonly after?: boolean | undefined;
  /** Seconds, as the error's `Retry-After`. */
  readonly retryAfter?: number | undefined;
}

/** A request that a store answered. */
export interface StoreRequest {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** With `/v2`, without a query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** What was wrong with the fields of the request. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** Whether a rule demanded the answer. */
  readonly isOnDemand?: true;
}
