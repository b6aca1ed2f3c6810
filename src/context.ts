import type { Database } from "./db/client.ts";
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

/** What handlers may use besides their inputs. */
export interface Services {
  readonly db: Database;
  /** What the client may send with its next request to see everything that this one saw, if there is such a thing. */
  readonly bookmark: () => string | undefined;
  readonly sessions: KVNamespace;
  readonly images: R2Bucket;
  /** Counts a request of an address or a session. @throws ApiError 429 where the limit is reached */
  readonly countRequest: (key: string) => Promise<void>;
  /** Limits logins, and sign-ups that would reveal whether a password is right, from one address. */
  readonly logins: RateLimit;
  /** The same, from all addresses. */
  readonly loginsPerUser: RateLimit;
  readonly settings: Settings;
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
    /** What went wrong, for the log. */
    fault?: Fault;
    /** Why the request went through without being counted, for the log. */
    uncounted?: Fault;
  };
}
