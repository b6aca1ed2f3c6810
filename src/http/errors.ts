import type { ContentfulStatusCode } from "hono/utils/http-status";
import * as v from "valibot";

/** A fault in one field of a request. The path has dots: `tags.0.name`. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** The status, the message and the headers of a refusal. */
export type Refusal = readonly [
  status: ContentfulStatusCode,
  message: string,
  headers?: Readonly<Record<string, string>>,
];

/** A refusal. The app's `onError` turns it into the answer. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor([status, message, headers = {}]: Refusal, errors?: readonly FieldError[]) {
    super(message);
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

/** The most field errors in an answer. */
const MAX_ERRORS = 100;

/**
 * The issues of valibot as field errors.
 * @param whole the path of an issue with the whole input, such as `body`
 */
export function fieldErrors(issues: readonly v.BaseIssue<unknown>[], whole: string): readonly FieldError[] {
  return issues
    .flatMap((issue) => issuesOf(issue, ""))
    .slice(0, MAX_ERRORS)
    .map(({ path, message }) => ({ path: path || whole, message }));
}

/** An issue of a union, as of `photoUrls`, is told by what its options found inside the input, if they looked inside. */
function issuesOf(issue: v.BaseIssue<unknown>, above: string): FieldError[] {
  const path = [above, v.getDotPath(issue)].filter(Boolean).join(".");
  const inside = (issue.issues ?? []).filter((each) => each.path !== undefined || each.kind === "validation");
  return inside.length > 0 ? inside.flatMap((each) => issuesOf(each, path)) : [{ path, message: issue.message }];
}
