import type { Database } from "./db/client.ts";
import type { FieldError } from "./http/errors.ts";
import type { Operation } from "./http/operation.ts";
import type { LoggedRequest } from "./stores/log.ts";
import type { OwnStore } from "./stores/own-store.ts";
import type { Settings } from "./settings.ts";

/** Who sent a request. */
export type Principal =
  | { readonly kind: "api key" }
  | {
      readonly kind: "user";
      readonly id: number;
      readonly username: string;
      /** Identifies the account for its whole life. No later account has it. */
      readonly accountId: string;
      /** The account must still have this id when the request acts in its name. */
      readonly credentialId: string;
    };

/** Workers KV, as far as sessions need it. */
export interface SessionSpace {
  get<Value>(key: string, type: "json"): Promise<Value | null>;
  put(key: string, value: string, options: { readonly expirationTtl: number }): Promise<void>;
  delete(key: string): Promise<void>;
}

/** R2, as far as images need it. */
export interface ImageSpace {
  head(key: string): Promise<R2Object | null>;
  get(key: string, options: R2GetOptions): Promise<R2Object | R2ObjectBody | null>;
  put(key: string, value: Uint8Array, options: R2PutOptions): Promise<unknown>;
  delete(keys: string[]): Promise<void>;
}

/** What handlers may use besides their inputs. */
export interface Services {
  readonly db: Database;
  /** What the client may send with its next request to see everything that this one saw, if there is such a thing. */
  readonly bookmark: () => string | undefined;
  readonly sessions: SessionSpace;
  readonly images: ImageSpace;
  /** Of the interface: `/v2`, or that below a store of one's own. */
  readonly basePath: string;
  /** Counts a request of an address or a session. @throws ApiError 429 where the limit is reached */
  readonly countRequest: (key: string) => Promise<void>;
  /** Limits logins, and sign-ups that would reveal whether a password is right, from one address. */
  readonly logins: RateLimit;
  /** The same, from all addresses. */
  readonly loginsPerUser: RateLimit;
  readonly settings: Settings;
  /** The store of one's own with this name. */
  readonly ownStore: (name: string) => OwnStore;
  /** The time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Logs a fault without failing the request. */
  readonly report: (fault: unknown) => void;
}

/** What went wrong, for the log. */
export interface Fault {
  readonly error: string;
  readonly message: string;
  readonly cause: string | undefined;
}

/** The route of a request. */
export interface FoundRoute {
  /** Its pattern. */
  readonly path: string;
  /** Its methods, for `Allow`. */
  readonly allow: string;
  /** Whether nobody may store its answers. */
  readonly noStore: boolean;
}

/** Hono's view of the Worker: its bindings, and what earlier steps leave for later ones. */
export interface App {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    route: FoundRoute | undefined;
    /** Answers a request to the interface of a store of one's own, as its rules for faults demand. */
    around?: (
      operation: Operation | undefined,
      answer: () => Promise<Response>,
    ) => Promise<Response>;
    /** Tells a store of one's own of a request, once it is answered. */
    observe?: (request: LoggedRequest) => void;
    /** What was wrong with the fields of the request. */
    refused?: readonly FieldError[];
    /** Whether a rule of the store demanded the answer. */
    isOnDemand?: true;
    /** What went wrong, for the log. */
    fault?: Fault;
    /** Why the request went through without being counted, for the log. */
    uncounted?: Fault;
  };
}
