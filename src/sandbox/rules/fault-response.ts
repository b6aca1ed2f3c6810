import type { Context, Hono } from "hono";
import { FORBIDDEN, UNAUTHENTICATED } from "../../http/access.ts";
import { resolvePath } from "../../http/address.ts";
import { JSON_TYPE, unsupported } from "../../http/body.ts";
import type { AppEnv } from "../../http/env.ts";
import type { ErrorSpec } from "../../http/errors.ts";
import { PRECONDITION_FAILED } from "../../http/etag.ts";
import { findMethods, getDeclaredErrors, toAllow } from "../../http/operation.ts";
import { INVALID_KEY } from "../../http/resource.ts";
import { createJson } from "../../http/send-json.ts";
import { INTERNAL_ERROR, METHOD_NOT_ALLOWED, NOT_FOUND, UNAVAILABLE } from "../../middleware/app.ts";
import { TOO_MANY } from "../../middleware/rate-limit.ts";
import type { SandboxEnv } from "../env.ts";
import { FULL } from "../errors.ts";
import type { Operations } from "./operations.ts";
import type { Rule } from "./rules.ts";

/** The messages of statuses that an operation does not declare. */
const GENERAL: readonly ErrorSpec[] = [
  [400, "Invalid input"],
  UNAUTHENTICATED,
  FORBIDDEN,
  NOT_FOUND,
  METHOD_NOT_ALLOWED,
  [409, "Conflict"],
  PRECONDITION_FAILED,
  [413, "Content too large"],
  unsupported(JSON_TYPE),
  [416, "Range not satisfiable"],
  [422, "Unprocessable content"],
  TOO_MANY,
  INTERNAL_ERROR,
  UNAVAILABLE,
  FULL,
];

/** Finds the operation's first error with this status. */
function findError(c: Context, status: number): ErrorSpec | undefined {
  // An idempotency key is checked only if the client sends one, so its 400 is not the typical one.
  const own = getDeclaredErrors(c).filter((error) => error !== INVALID_KEY);
  return [...own, ...GENERAL].find(([each]) => each === status);
}

/** Creates a response in place of the real one. An error without a body looks like the real error. */
export function createFaultResponse(
  c: Context<SandboxEnv>,
  app: Hono<AppEnv>,
  operations: Operations,
  status: number,
  { body, location, retryAfter }: Rule,
): Response {
  const isError = body === undefined && status >= 400;
  const [, message = "Fault response", ownHeaders] = (isError && findError(c, status)) || [];
  const headers = new Headers(ownHeaders);
  if (isError && status === 405) headers.set("Allow", toAllow(findMethods(app, c)));
  if (retryAfter !== undefined) headers.set("Retry-After", String(retryAfter));
  if (location !== undefined) headers.set("Location", resolvePath(c, operations.split(c)[0] + location));
  if (isError) return createJson(c, { code: status, type: "error", message }, status, headers);
  if (!body || [204, 205, 304].includes(status)) return new Response(null, { status, headers });
  headers.set("Content-Type", `text/${body.startsWith("<") ? "html" : "plain"}; charset=utf-8`);
  return new Response(body, { status, headers });
}
