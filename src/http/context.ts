import type { Services } from "../services.ts";
import type { FieldError } from "./errors.ts";

/** What went wrong, for the log. */
export interface Fault {
  readonly error: string;
  readonly message: string;
  readonly cause: string | undefined;
  /** Only of a defect: its stack, with places in the bundle. */
  readonly stack?: string | undefined;
}

/** The route that a request matched. */
export interface MatchedRoute {
  /** `/v2`, `/api/v3`, or "" for a route that belongs to neither. */
  readonly basePath: string;
  /** The pattern of the path below the base path. */
  readonly path: string;
  /** The methods of the path, for `Allow`. */
  readonly allow: string;
  /** No cache may store the answers. */
  readonly noStore: boolean;
  /** Scripts of other origins cannot read the answers. */
  readonly isPrivate: boolean;
}

/** Hono's context: the bindings of the app's home, and values that earlier steps leave for later ones. */
export interface App {
  Bindings: object;
  Variables: {
    requestId: string;
    services: Services;
    route: MatchedRoute | undefined;
    /** The body of the answer, unless it is a stream. */
    text?: string | undefined;
    /** Headers that the home adds to its answers. */
    added?: Readonly<Record<string, string>>;
    /** The `errors` of the answer. */
    refused?: readonly FieldError[];
    fault?: Fault;
    /** Why the request could not be counted, for the log. */
    uncounted?: Fault;
  };
}
