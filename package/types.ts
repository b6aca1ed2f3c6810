// The types of a sandbox's data, rules, and logged requests.

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

/** The `operationId` of an operation, in both interfaces, or of an MCP request: `mcp` and `manageMcp`. */
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
  | "manageMcp"
  | "mcp"
  | "placeOrder"
  | "updatePet"
  | "updatePetWithForm"
  | "updateUser"
  | "uploadFile";

/** The part of a request that a rule matches. */
export interface RequestMatch {
  /** Query parameters by name. One occurrence must have exactly this value; `null`: the parameter must be absent. */
  readonly query?: Readonly<Record<string, string | null>> | undefined;
  /** Headers by name, in any case, with the whole value; `null`: the header must be absent. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /** A JSON value that the body must contain: each named field must be equal. Arrays must be equal as a whole. */
  readonly body?: unknown;
}

/** A rule that changes responses. The first rule that applies to a request is used. */
export interface FaultRule {
  /** `operationId`, `method`, `path`, and `match` select requests. Default: all. */
  readonly operationId?: OperationId | undefined;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | undefined;
  /** Below `/v2` and `/api/v3`: `/pet/1`, or `/pet/{petId}`. */
  readonly path?: string | undefined;
  readonly match?: RequestMatch | undefined;
  /** The maximum number of responses that the rule changes. Default: no limit. */
  readonly times?: number | undefined;
  /** With 3, the rule applies to every third request. */
  readonly every?: number | undefined;
  /** The probability that the rule applies, from 0 to 1. */
  readonly chance?: number | undefined;
  /** The status of a fault response: 200 to 599. */
  readonly status?: number | undefined;
  /** With `status` or `break: "connection"`: whether the request is performed although its response is dropped. Default: false. */
  readonly after?: boolean | undefined;
  /** The `Retry-After` of the fault response, in seconds. */
  readonly retryAfter?: number | undefined;
  /** The body of the fault response. Default: that of the real error, or no body for a status below 400. */
  readonly body?: string | undefined;
  /** With the status 301, 302, 303, 307, or 308: a path below the API, such as `/pet/2`. */
  readonly location?: string | undefined;
  /** Headers of the response. `null` removes a header. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /** A JSON Merge Patch (RFC 7396) of the real success response, or of each item of a list. */
  readonly patch?: Readonly<Record<string, unknown>> | undefined;
  /** The delay of the response in milliseconds, 1 to 30,000, or the least and the most of a random delay. */
  readonly delayMs?: number | readonly [least: number, most: number] | undefined;
  /** The time over which the body is sent in at most ten parts, in milliseconds: 1 to 30,000. */
  readonly slowMs?: number | undefined;
  /**
   * `body`: the connection closes in the middle of the body. `json`: the response ends cleanly after half of the body.
   * `connection`: the connection closes without a response.
   */
  readonly break?: "body" | "json" | "connection" | undefined;
}

/** A logged request. The values of headers with credentials read `***`. */
export interface LoggedRequest {
  /** Ascending, and never used again by the same sandbox. */
  readonly id: number;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  /** The time until the response, in milliseconds. */
  readonly ms: number;
  readonly method: string;
  /** The path with its query; it begins with `/v2` or `/api/v3`. */
  readonly path: string;
  /** Absent for an unknown path or method. */
  readonly operationId?: OperationId;
  /** 0 if a rule closed the connection without a response, or while the response is delayed. */
  readonly status: number;
  /** Set while the response is delayed by a rule or `Prefer`. */
  readonly waiting?: true;
  /** By name, in lower case. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Text, cut at 8 KiB. */
  readonly requestBody?: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  /** The invalid fields of a rejected request. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** The rule that changed the response. */
  readonly rule?: FaultRule;
}

/** Selects logged requests. */
export interface RequestFilter {
  readonly operationId?: OperationId | undefined;
  /** `503`, or `"5xx"` for all from 500 to 599. */
  readonly status?: number | "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | undefined;
  /** Only requests with a larger `id`. */
  readonly after?: number | undefined;
  /** The maximum number of requests, of which the newest are returned. */
  readonly limit?: number | undefined;
  /** How long to wait for a request if none is logged yet, in whole seconds: 0 to 30. Default: 0. */
  readonly wait?: number | undefined;
}
