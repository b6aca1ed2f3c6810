import type { Services } from "../services.ts";
import type { FieldError } from "./errors.ts";

/** What went wrong, for the log. */
export interface Fault {
  readonly error: string;
  readonly message: string;
  readonly cause: string | undefined;
  /** Where a defect is, in the bundle. */
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

/** What Hono's context holds: the bindings of the app's home, and what earlier steps leave for later ones. */
export interface App {
  Bindings: object;
  Variables: {
    requestId: string;
    services: Services;
    route: MatchedRoute | undefined;
    /** The text of the answer, where it is no stream. */
    text?: string | undefined;
    /** What the home adds to the headers of its answers. */
    added?: Readonly<Record<string, string>>;
    /** What was wrong with the fields of the request. */
    refused?: readonly FieldError[];
    /** What went wrong, for the log. */
    fault?: Fault;
    /** Why the request was not counted, for the log. */
    uncounted?: Fault;
  };
}
