import type { Database } from "./db/client.ts";
import type { Settings } from "./settings.ts";

/** Who sent a request. */
export type Principal =
  | { readonly kind: "api key" }
  | {
      readonly kind: "user";
      readonly id: number;
      readonly username: string;
      /** Names the account from its creation to its deletion, and none after it. */
      readonly accountId: string;
      /** What the account must still have when something is done in its name. */
      readonly credentialId: string;
    };

/** What handlers may use besides their inputs. */
export interface Services {
  readonly db: Database;
  readonly sessions: KVNamespace;
  readonly images: R2Bucket;
  /** Counts a request of an address or a session. @throws ApiError 429 where the limit is reached */
  readonly countRequest: (key: string) => Promise<void>;
  /** Limits the attempts to log in, and sign-ups that would tell whether a password is right: of one address. */
  readonly logins: RateLimit;
  /** The same, of all addresses. */
  readonly loginsPerUser: RateLimit;
  readonly settings: Settings;
  /** The time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Logs a fault that does not keep the request from being answered. */
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

/** Hono's view of the Worker: its bindings, and what the middleware leaves for those that follow. */
export interface App {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    route: FoundRoute | undefined;
    /** What went wrong, for the log. */
    fault?: Fault;
    /** Why the request was let in without being counted, for the log. */
    uncounted?: Fault;
  };
}
