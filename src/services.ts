import type { Database } from "./db/client.ts";
import type { Settings } from "./platform/settings.ts";

/** Who sent a request. */
export type Principal =
  | { readonly kind: "api key" }
  | {
      readonly kind: "user";
      readonly id: number;
      /** `null` if the account has none. */
      readonly username: string | null;
      /** Identifies the account for its whole life. No later account has it. */
      readonly accountId: string;
      /** Changes with the password. A write for the account must check that the account still has it. */
      readonly credentialId: string;
    };

/** The user of a session. It is stored under the SHA-256 of its token, so a leak reveals no token. */
export interface Session {
  readonly userId: number;
  /** The account's credential id at login. The session ends when that changes. */
  readonly credentialId: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Stores sessions, in KV or in the database of a sandbox. Each call may throw `Unavailable`. */
export interface SessionSpace {
  get(key: string): Promise<Session | undefined>;
  /** @param seconds how long to keep it, at least */
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
  /** A later request with this bookmark sees everything that this one saw. */
  readonly bookmark: () => string | undefined;
  readonly sessions: SessionSpace;
  readonly images: ImageSpace;
  /** The path of the sandbox that the URL names, without a base path; "" for none. */
  readonly storePath: string;
  /** Counts a request of an address or a session. @throws ApiError 429 if the limit is reached */
  readonly countRequest: (key: string) => Promise<void>;
  /** Limits attempts on one user's password from one address: logins, and sign-ups that would tell if it is right. */
  readonly logins: RateLimit;
  /** Limits the same attempts on one user, from all addresses. */
  readonly loginsPerUser: RateLimit;
  readonly settings: Settings;
  /** The time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Logs a fault without failing the request. */
  readonly report: (fault: unknown) => void;
}
