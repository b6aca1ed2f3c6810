import type { ContentfulStatusCode } from "hono/utils/http-status";
import * as v from "valibot";

/** An invalid field of a request. The path has dots: `tags.0.name`. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** The status, message, and headers of an error response. */
export type ErrorSpec = readonly [
  status: ContentfulStatusCode,
  message: string,
  headers?: Readonly<Record<string, string>>,
];

/** An error response. The app's `onError` renders it. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly fieldErrors: readonly FieldError[] | undefined;

  constructor([status, message, headers = {}]: ErrorSpec, fieldErrors?: readonly FieldError[]) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.fieldErrors = fieldErrors;
  }
}

/** Closes the connection to the client without a response. Only an error that is retryable makes workerd do this. */
export class Disconnected extends Error {
  override readonly name = "Disconnected";
  readonly retryable = true;
}

/** The maximum number of field errors in a response. */
const MAX_FIELD_ERRORS = 100;

/**
 * Converts valibot's issues to field errors.
 * @param whole the path of an issue with the whole input, such as `body`
 */
export function toFieldErrors(issues: readonly v.BaseIssue<unknown>[], whole: string): readonly FieldError[] {
  return issues
    .flatMap((issue) => flatten(issue, ""))
    .slice(0, MAX_FIELD_ERRORS)
    .map(({ path, message }) => ({ path: path || whole, message }));
}

/** Replaces the issue of a union, such as `photoUrls`, with the issues that its options found inside the input, if any. */
function flatten(issue: v.BaseIssue<unknown>, parent: string): FieldError[] {
  const path = [parent, v.getDotPath(issue)].filter(Boolean).join(".");
  const inside = (issue.issues ?? []).filter((each) => each.path !== undefined || each.kind === "validation");
  return inside.length > 0 ? inside.flatMap((each) => flatten(each, path)) : [{ path, message: issue.message }];
}
