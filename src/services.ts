import type { Database } from "./db/client.ts";
import type { Settings } from "./platform/settings.ts";

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

/** The user of a session. It is stored under the SHA-256 of the token, so a leak of it gives nobody a token. */
export interface Session {
  readonly userId: number;
  /** The account's credential id at login: the session ends when the account has another. */
  readonly credentialId: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Where sessions are: in KV, or in the database of a sandbox. Each call may throw `Unavailable`. */
export interface SessionSpace {
  get(key: string): Promise<Session | undefined>;
  /** @param seconds how long it must be kept at least */
  put(key: string, session: Session, seconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** The part of R2 that images need. */
export interface ImageSpace {
  head(key: string): Promise<R2Object | null>;
  get(key: string, options?: R2GetOptions): Promise<R2ObjectBody | null>;
  put(key: string, value: Blob, options: R2PutOptions): Promise<unknown>;
  delete(keys: string[]): Promise<void>;
}

/** What handlers may use in addition to their inputs. */
export interface Services {
  readonly db: Database;
  /** A request with this sees everything that this one saw. */
  readonly bookmark: () => string | undefined;
  readonly sessions: SessionSpace;
  readonly images: ImageSpace;
  /** The path of the sandbox that the request names; "" for none. The base path of the interface follows it. */
  readonly storePath: string;
  /** Counts a request of an address or a session. @throws ApiError 429 if the limit is reached */
  readonly countRequest: (key: string) => Promise<void>;
  /** Limits logins, and sign-ups that would reveal whether a password is right, from one address. */
  readonly logins: RateLimit;
  /** Limits the same attempts from all addresses. */
  readonly loginsPerUser: RateLimit;
  readonly settings: Settings;
  /** The time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Logs a fault without failing the request. */
  readonly report: (fault: unknown) => void;
}
