import * as v from "valibot";
import { readBody } from "./body.ts";
import { ApiError, MAX_ERRORS, fieldErrors } from "./errors.ts";
import type { ErrorDetails, Errors } from "./errors.ts";
import type { Operation, Schema, StatedBody } from "./operation.ts";
import { MAX_PARAMETERS, parseQuery } from "./urlencoded.ts";

/** One error for each field: the check stops at the first rule that the field breaks. */
const ONE_FAULT_A_FIELD = { abortPipeEarly: true };

/**
 * Parses the inputs of a request with the schemas of its operation. `hono/validator` would answer invalid JSON by itself, and
 * knows no status of an operation (docs/decisions/001-operations-are-data.md).
 * @param params the parameters of its path, as Hono decoded them
 * @throws ApiError with an error that the operation declares, 413, or 415
 */
export async function parseInputs(
  operation: Operation,
  request: Request,
  params: Readonly<Record<string, string>>,
) {
  const { url } = request;
  return {
    params:
      operation.params &&
      parseParameters(operation, operation.params, isWellFormed(url) ? params : undefined, "path"),
    query: operation.query && parseParameters(operation, operation.query, parseQuery(url), "query"),
    ...(operation.body
      ? await parseBody(operation, operation.body, request)
      : { body: undefined, bytes: undefined }),
  };
}

/** An error that the operation declares. */
export function refusal(operation: Operation, name: string, details?: ErrorDetails): ApiError {
  const errors: Errors = operation.errors;
  const error = errors[name];
  // Unreachable: `operation()` requires every error that is found here, and `fail` compiles with no other.
  if (!error) throw new Error(`${operation.id} does not declare ${name}`);
  return new ApiError(error, details);
}

function parseParameters(
  operation: Operation,
  schema: Schema<object>,
  values: object | undefined,
  where: "path" | "query",
): object {
  const parsed = v.safeParse(schema, values, ONE_FAULT_A_FIELD);
  if (parsed.success) return parsed.output;
  if (values === undefined) {
    const most = where === "query" ? ` of at most ${MAX_PARAMETERS} parameters` : "";
    const message = `must be percent-encoded UTF-8${most}`;
    throw refusal(operation, "invalidParameter", { errors: [{ path: where, message }] });
  }
  // Report an item of a list under the name of its parameter.
  const errors = fieldErrors(parsed.issues, where).map(({ path, message }) => ({
    path: path.replace(/\..*/, ""),
    message,
  }));
  throw refusal(operation, "invalidParameter", { errors });
}

async function parseBody(operation: Operation, stated: StatedBody, request: Request) {
  const { schema, first } = stated;
  const body = await readBody(request, stated);
  if ("malformed" in body) {
    const errors = [{ path: "body", message: body.malformed }];
    throw refusal(operation, "malformed", { errors });
  }
  const parsed = v.safeParse(schema, body.value, ONE_FAULT_A_FIELD);
  if (parsed.success) return { body: parsed.output, bytes: body.bytes };
  // A sandbox takes 200,000 values, and each may be wrong.
  const errors = fieldErrors(parsed.issues.slice(0, MAX_ERRORS), "body");
  // The body itself has the wrong type.
  if (parsed.issues.some(({ kind, path }) => kind === "schema" && !path)) {
    throw refusal(operation, "malformed", { errors });
  }
  const leading = errors.filter(({ path }) => path === first);
  throw leading.length > 0
    ? refusal(operation, "invalidFirst", { errors: leading })
    : refusal(operation, "invalid", { errors });
}

/** Whether every escape in the path of a URL is valid. Hono leaves an invalid one as it is. */
function isWellFormed(url: string): boolean {
  if (!url.includes("%")) return true;
  try {
    decodeURIComponent(new URL(url).pathname);
    return true;
  } catch {
    return false;
  }
}
