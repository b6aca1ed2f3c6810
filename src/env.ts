import type { Database } from "./db/client.ts";
import type { Operation } from "./http/operation.ts";
import type { Settings } from "./settings.ts";

/** Who sent a request. `session` is the SHA-256 of the session's token. */
export type Principal =
  | { readonly kind: "api key" }
  | { readonly kind: "user"; readonly username: string; readonly session: string };

/** What handlers may use besides their inputs. */
export interface Services {
  readonly db: Database;
  readonly sessions: KVNamespace;
  readonly images: R2Bucket;
  /** Limits all requests, of an address and of a session. */
  readonly requests: RateLimit;
  /** Limits the attempts to log in. */
  readonly logins: RateLimit;
  readonly settings: Settings;
  /** Finds out who sent a request; `undefined` where the request proves nobody. */
  readonly authenticate: (headers: Headers) => Promise<Principal | undefined>;
  /** The time, in milliseconds since the epoch. */
  readonly now: () => number;
}

/** Hono's view of the Worker: its bindings, and what the middleware leaves for those that follow. */
export interface App {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    /** The operation that answers, once one is found. */
    operation?: Operation;
    /** The path's pattern, and its methods for `Allow`, once one is found. */
    route?: { readonly path: string; readonly allow: string };
    /** What went wrong, for the log. */
    fault?: {
      readonly error: string;
      readonly message: string;
      readonly cause: string | undefined;
    };
  };
}
