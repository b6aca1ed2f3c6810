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

/** What Hono's context holds: the bindings of the app's home, and what earlier steps leave for later ones. */
export interface App {
  Bindings: object;
  Variables: {
    requestId: string;
    services: Services;
    /**
     * The pattern of the path with the base path, its methods for `Allow`, and whether caches must not store the answers,
     * and scripts of other origins must not read them.
     */
    route: { path: string; allow: string; noStore: boolean; isPrivate: boolean } | undefined;
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
