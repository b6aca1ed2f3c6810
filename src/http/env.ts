import type { Context } from "hono";
import type { Database } from "../db/client.ts";
import type { FieldError } from "./errors.ts";
import type { Images } from "../pets/images.ts";
import type { Settings } from "./settings.ts";
import type { Account } from "../users/queries.ts";
import type { Sessions } from "../auth/sessions.ts";

/** The bindings of wrangler.toml, and the settings that it leaves out. */
export interface Bindings extends Env {
  readonly API_KEY?: string;
  /** "no": `CF-Connecting-IP` is not Cloudflare's, and a client can write what it likes. */
  readonly BEHIND_CLOUDFLARE?: string;
  readonly SANDBOX_CREATION?: string;
  readonly PUBLIC_URL?: string;
}

export interface Variables {
  requestId: string;
  settings: Settings;
  /** The path that the interfaces are mounted on: "", or `/sandboxes/<name>`. */
  mount: string;
  db: Database;
  sessions: Sessions;
  images: Images;
  /** Whether the answer is sent as it is made, and must not be held in memory. */
  isStreamed?: boolean;
  /** Who sent the request, where access is protected. Unset for the API key. */
  user?: Account;
  /** The faults of the fields in a refused request. */
  fieldErrors?: readonly FieldError[];
  /** Why the limiter of requests failed, for the log. The request went on. */
  limiterFault?: unknown;
  /** Why the Worker does not forward a request to the object of a sandbox. */
  refusal?: unknown;
}

export interface AppEnv {
  Bindings: Bindings;
  Variables: Variables;
}

/** What a function reads of a request in the Worker, or in the object of a sandbox, whose context has more variables. */
export type Read = Pick<Context<AppEnv>, "req" | "get">;
