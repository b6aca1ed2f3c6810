import type { Services } from "../services.ts";
import type { FieldError } from "./errors.ts";

/** What went wrong, for the log. */
export interface Fault {
  readonly error: string;
  readonly message: string;
  readonly cause: string | undefined;
}

/** The route of a request. */
export interface FoundRoute {
  /** The pattern of the path. */
  readonly path: string;
  /** The methods of the path, for `Allow`. */
  readonly allow: string;
  /** Whether caches must not store the answers. */
  readonly noStore: boolean;
}

/** What Hono's context holds: the bindings of the app's home, and what earlier steps leave for later ones. */
export interface App {
  Bindings: object;
  Variables: {
    requestId: string;
    services: Services;
    route: FoundRoute | undefined;
    /** What was wrong with the fields of the request. */
    refused?: readonly FieldError[];
    /** What went wrong, for the log. */
    fault?: Fault;
    /** Why the request was not counted, for the log. */
    uncounted?: Fault;
  };
}
