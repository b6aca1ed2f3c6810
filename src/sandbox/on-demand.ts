import type { Context } from "hono";
import { INTERNAL_ERROR, METHOD_NOT_ALLOWED, NOT_FOUND, UNAVAILABLE } from "../middleware/app.ts";
import type { ErrorSpec } from "../http/errors.ts";
import { FORBIDDEN, UNAUTHENTICATED } from "../http/access.ts";
import { PRECONDITION_FAILED } from "../http/etag.ts";
import { TOO_MANY } from "../middleware/rate-limit.ts";
import { JSON_TYPE, unsupported } from "../http/body.ts";
import { errorsFor } from "../http/operation.ts";
import { INVALID_KEY } from "../http/resource.ts";
import type { SandboxEnv } from "./env.ts";
import { methodsAt, pathBelow, type Rule } from "./rules.ts";
import { FULL } from "./stores.ts";

/** What the errors say that the operation never has. */
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

/** The refusal of the operation with this status: the first one that it throws. */
function refusalWith(c: Context, status: number): ErrorSpec | undefined {
  // An idempotency key is checked only if there is one, so its 400 is not the one that a client expects.
  const own = errorsFor(c).filter((refusal) => refusal !== INVALID_KEY);
  return [...own, ...GENERAL].find(([each]) => each === status);
}

/** An answer instead of the real one. An error without a body looks like the real error. */
export function answerOnDemand(c: Context<SandboxEnv>, status: number, { body, retryAfter }: Rule): Response {
  const isReal = body === undefined && status >= 400;
  const [, message = "Error on demand", ownHeaders] = (isReal && refusalWith(c, status)) || [];
  const headers = new Headers(ownHeaders);
  // As the routes would set it.
  headers.set("Cache-Control", /^\/user(?:\/|$)/.test(pathBelow(c)) ? "no-store, no-transform" : "private, no-cache");
  if (isReal && status === 405) headers.set("Allow", [...methodsAt(c), "OPTIONS"].join(", "));
  if (retryAfter !== undefined) headers.set("Retry-After", String(retryAfter));
  if (isReal) return Response.json({ code: status, type: "error", message }, { status, headers });
  if (!body || [204, 205, 304].includes(status)) return new Response(null, { status, headers });
  headers.set("Content-Type", `text/${body.startsWith("<") ? "html" : "plain"}; charset=utf-8`);
  return new Response(body, { status, headers });
}
