// The types of the data, the rules and the recorded requests of a sandbox.

export type PetStatus = "available" | "pending" | "sold";

/** A pet. Without an id, the service chooses one. */
export interface NewPet {
  readonly id?: number | undefined;
  readonly category?: { readonly id?: number | undefined; readonly name?: string | undefined } | undefined;
  readonly name: string;
  /** One URL, several separated by commas, or an array. */
  readonly photoUrls: string | readonly string[];
  readonly tags?:
    | readonly (string | { readonly id?: number | undefined; readonly name?: string | undefined })[]
    | undefined;
  readonly status?: PetStatus | undefined;
}

/** An order. Without an id, the service chooses one. */
export interface NewOrder {
  readonly id?: number | undefined;
  readonly petId?: number | undefined;
  readonly quantity?: number | undefined;
  /** ISO 8601. */
  readonly shipDate?: string | undefined;
  readonly status?: "placed" | "approved" | "delivered" | undefined;
  readonly complete?: boolean | undefined;
}

/** A user. Without an id, the service chooses one. */
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

/** All data of a sandbox. */
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

/** The `operationId` of an operation, in both interfaces. */
export type OperationId =
  | "addPet"
  | "createUser"
  | "createUsersWithArrayInput"
  | "createUsersWithListInput"
  | "deleteOrder"
  | "deletePet"
  | "deleteUser"
  | "findPetsByStatus"
  | "findPetsByTags"
  | "getInventory"
  | "getOrderById"
  | "getPetById"
  | "getPetImage"
  | "getUserByName"
  | "loginUser"
  | "logoutUser"
  | "placeOrder"
  | "updatePet"
  | "updatePetWithForm"
  | "updateUser"
  | "uploadFile";

/** A rule that makes answers wrong. The first rule that applies is applied. */
export interface FaultRule {
  /** `operationId`, `method` and `path` say which requests the rule is for. Default: all. */
  readonly operationId?: OperationId | undefined;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | undefined;
  /** Below `/v2` and `/api/v3`: `/pet/1`, or `/pet/{petId}`. */
  readonly path?: string | undefined;
  /** How often the rule is applied. Default: until the rules are replaced. */
  readonly times?: number | undefined;
  /** With 3, it is applied to every third request. */
  readonly every?: number | undefined;
  /** The probability that it is applied, from 0 to 1. */
  readonly chance?: number | undefined;
  /** The status of an answer on demand: 200 to 599. */
  readonly status?: number | undefined;
  /** Whether the request is done before it is answered on demand. Default: false. */
  readonly after?: boolean | undefined;
  /** The `Retry-After` of the answer on demand, in seconds. */
  readonly retryAfter?: number | undefined;
  /** The body of the answer on demand. Default: that of the real error, or none below 400. */
  readonly body?: string | undefined;
  /** Headers of the answer. `null` removes one. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /** A JSON Merge Patch (RFC 7396) of the real success, or of each item of a list. */
  readonly patch?: Readonly<Record<string, unknown>> | undefined;
  /** The delay of the answer in milliseconds: 1 to 30,000. */
  readonly delayMs?: number | undefined;
  /** `body`: the connection ends in the middle of the body. `json`: half of the JSON is all of the body. */
  readonly break?: "body" | "json" | undefined;
}

/** A request that a sandbox answered. The values of headers with credentials read `***`. */
export interface RecordedRequest {
  /** Ascending, and never used again by the same sandbox. */
  readonly id: number;
  /** When the request came, in milliseconds since the epoch. */
  readonly at: number;
  /** The milliseconds until the answer. */
  readonly ms: number;
  readonly method: string;
  /** The path with its query; it begins with `/v2` or `/api/v3`. */
  readonly path: string;
  /** Absent for an unknown path or method. */
  readonly operationId?: OperationId;
  readonly status: number;
  /** The names are in lower case. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Text, cut at 8 KiB. */
  readonly requestBody?: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  /** The faults in the fields of a refused request. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** The rule that made the answer wrong. */
  readonly rule?: FaultRule;
}

/** Which requests. Each absent member means all. */
export interface RequestFilter {
  readonly operationId?: OperationId | undefined;
  /** `503`, or `"5xx"` for all from 500 to 599. */
  readonly status?: number | "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | undefined;
  /** Only requests with a larger `id`. */
  readonly after?: number | undefined;
  /** At most so many of the newest. */
  readonly limit?: number | undefined;
}
