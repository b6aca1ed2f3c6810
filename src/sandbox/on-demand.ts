import type { Context } from "hono";
import type { AppEnv } from "../env.ts";
import { unauthenticated } from "../middleware/auth.ts";
import { tooMany } from "../middleware/rate-limit.ts";
import { MULTIPART, URLENCODED } from "../middleware/validate.ts";
import { operationOf } from "../operation.ts";
import { messageOf } from "./messages.ts";
import { BODILESS, methodsOf, pathOfRequest } from "./rules.ts";
import type { Rule } from "./rules.ts";

/**
 * An answer instead of the real one. An error without a body of its own looks like the real error.
 * @param headers what each answer to this request has
 */
export function answerOnDemand(
  c: Context<AppEnv>,
  { status, body, retryAfter }: Pick<Rule, "body" | "retryAfter"> & { readonly status: number },
  headers: Headers,
): Response {
  // The faults of the real answer's fields are not those of this one.
  c.set("fieldErrors", undefined);
  const isReal = body === undefined && status >= 400;
  const path = pathOfRequest(c);
  // As the routes would set it.
  const isOfUsers = path.startsWith("/user");
  headers.set("Cache-Control", isOfUsers ? "no-store, no-transform" : "private, no-cache");
  if (isReal) {
    const own = headersOf(status, operationOf(c), path);
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
  }
  if (retryAfter !== undefined) headers.set("Retry-After", String(retryAfter));
  if (isReal) {
    const isV3 = c.req.path.startsWith(`${c.var.mount}/api/v3`);
    const message = messageOf(operationOf(c), status, isV3);
    return Response.json({ code: status, type: "error", message }, { status, headers });
  }
  if (body === undefined || BODILESS.includes(status)) {
    return new Response(null, { status, headers });
  }
  headers.set("Content-Type", `text/${body.startsWith("<") ? "html" : "plain"}; charset=utf-8`);
  return new Response(body, { status, headers });
}

/** The headers of the real error. */
function headersOf(status: number, operationId: string | undefined, path: string) {
  switch (status) {
    case 401:
      return unauthenticated().headers;
    case 405:
      return { Allow: [...methodsOf(path), "OPTIONS"].join(", ") };
    case 415:
      return {
        Accept:
          operationId === "uploadFile"
            ? MULTIPART
            : operationId === "updatePetWithForm"
              ? `${URLENCODED}, ${MULTIPART}`
              : "application/json",
      };
    case 429:
      return tooMany().headers;
    case 503:
      return { "Retry-After": "1" };
    default:
      return {};
  }
}
