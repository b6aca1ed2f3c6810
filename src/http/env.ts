import type { Context } from "hono";
import type { Account } from "../auth/accounts.ts";
import type { Sessions } from "../auth/sessions.ts";
import type { Database } from "../db/client.ts";
import type { FieldError } from "./errors.ts";
import type { Bindings, Settings } from "./settings.ts";

/** The part of R2 that images use. */
export interface Images {
  get(key: string, options?: R2GetOptions): Promise<R2ObjectBody | R2Object | null>;
  head(key: string): Promise<{ readonly size: number } | null>;
  put(key: string, value: Blob, options?: R2PutOptions): Promise<unknown>;
  list(options: R2ListOptions): Promise<{
    readonly objects: readonly { readonly key: string; readonly uploaded: Date }[];
    readonly truncated: boolean;
    readonly cursor?: string;
  }>;
  delete(keys: string | string[]): Promise<void>;
}

export interface Variables {
  requestId: string;
  settings: Settings;
  /** The path that the APIs are mounted on: "", or `/sandboxes/<name>`. */
  mount: string;
  db: Database;
  sessions: Sessions;
  images: Images;
  /** The chunks of the request's body that were read, for the request log of a sandbox. */
  receivedBody?: readonly Uint8Array[];
  /** The last response with a body that is in memory, for the request log of a sandbox. */
  sent?: { readonly response: Response; readonly body: string | Uint8Array };
  /** Whether the response is streamed, so that it must not be buffered. */
  isStreamed?: boolean;
  /** The user that sent the request. Set only for a session where access is protected; unset for the API key. */
  user?: Account;
  /** The invalid fields of a rejected request. */
  fieldErrors?: readonly FieldError[];
  /** The error of the request limiter, for the log. The request was allowed. */
  limiterError?: unknown;
  /** The error because of which the Worker could not proxy a request to a sandbox. */
  proxyError?: unknown;
}

export interface AppEnv {
  Bindings: Bindings;
  Variables: Variables;
}

/** The part of a context that a function needs to read a request, in the Worker or in a sandbox. */
export type RequestContext = Pick<Context<AppEnv>, "req" | "get">;
