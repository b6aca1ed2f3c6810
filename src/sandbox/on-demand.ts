import type { Context } from "hono";
import type { AppEnv } from "../env.ts";
import { unauthenticated } from "../middleware/auth.ts";
import { tooMany } from "../middleware/rate-limit.ts";
import { MULTIPART, URLENCODED } from "../middleware/validate.ts";
import { operationOf } from "../operation.ts";
import { methodsAt, pathBelow } from "./rules.ts";
import type { Rule } from "./rules.ts";

const INVALID_ID = "Invalid ID supplied";
const INVALID_USER = ["Invalid user supplied", "Invalid input"] as const;

/** What the real errors say, by status and operation or resource: in both interfaces, or in `/v2` and `/api/v3`. */
const MESSAGES: Readonly<Record<string, string | readonly [string, string]>> = {
  "400 addPet": "Invalid input",
  "400 findPetsByStatus": "Invalid status value",
  "400 findPetsByTags": "Invalid tag value",
  "400 updatePetWithForm": [INVALID_ID, "Invalid input"],
  "400 deletePet": [INVALID_ID, "Invalid pet value"],
  "400 uploadFile": ["Invalid image supplied", "No file uploaded"],
  "400 placeOrder": ["Invalid order", "Invalid input"],
  "400 createUser": INVALID_USER,
  "400 createUsersWithArrayInput": INVALID_USER,
  "400 createUsersWithListInput": INVALID_USER,
  "400 loginUser": "Invalid username/password supplied",
  "400 updateUser": ["Invalid user supplied", "bad request"],
  "400 pet": INVALID_ID,
  "400 store": INVALID_ID,
  "400 user": "Invalid username supplied",
  "401": unauthenticated().message,
  "403": "Forbidden",
  "404 updateUser": ["User not found", "user not found"],
  "404 pet": "Pet not found",
  "404 store": "Order not found",
  "404 user": "User not found",
  "404": "Not found",
  "405 addPet": "Invalid input",
  "405 updatePet": "Validation exception",
  "405 updatePetWithForm": "Invalid input",
  "405": "Method not allowed",
  "409 pet": "Duplicate pet",
  "409 store": "Duplicate order",
  "409 user": "Duplicate user",
  "412": "Precondition failed",
  "415": "Unsupported media type",
  "422": ["The idempotency key came with another body before", "Validation exception"],
  "429": "Too many requests",
  "500": "Internal server error",
  "503": "Service unavailable",
};

/** What an error on demand says. @param path below the interface */
function messageOf(
  status: number,
  operationId: string | undefined,
  path: string,
  isV3: boolean,
): string {
  const [, resource] = operationId ? path.split("/") : [];
  const keys = [`${status} ${operationId}`, `${status} ${resource}`, `${status}`];
  const message = keys.map((key) => MESSAGES[key]).find(Boolean) ?? "Error on demand";
  return typeof message === "string" ? message : message[isV3 ? 1 : 0];
}

/**
 * An answer instead of the real one. An error without a body looks like the real error.
 * @param headers what each answer to this request has
 */
export function answerOnDemand(
  c: Context<AppEnv>,
  status: number,
  { body, retryAfter }: Rule,
  headers: Headers,
): Response {
  const operationId = operationOf(c);
  const path = pathBelow(c);
  const isReal = body === undefined && status >= 400;
  const own = {
    // As the routes would set it.
    "Cache-Control": path.startsWith("/user") ? "no-store, no-transform" : "private, no-cache",
    ...(body && { "Content-Type": `text/${body.startsWith("<") ? "html" : "plain"}` }),
    ...(isReal && headersOfError(status, operationId, path)),
    ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
  };
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (isReal) {
    const isV3 = c.req.path.startsWith(`${c.var.mount}/api/v3`);
    const message = messageOf(status, operationId, path, isV3);
    return Response.json({ code: status, type: "error", message }, { status, headers });
  }
  const isBodiless = [204, 205, 304].includes(status);
  return new Response(isBodiless ? null : (body ?? null), { status, headers });
}

function headersOfError(
  status: number,
  operationId = "",
  path: string,
): Readonly<Record<string, string>> | undefined {
  const forms: Readonly<Record<string, string>> = {
    updatePetWithForm: `${URLENCODED}, ${MULTIPART}`,
    uploadFile: MULTIPART,
  };
  const byStatus: Readonly<Record<number, Readonly<Record<string, string>>>> = {
    401: unauthenticated().headers,
    405: { Allow: [...methodsAt(path), "OPTIONS"].join(", ") },
    415: { Accept: forms[operationId] ?? "application/json" },
    429: tooMany().headers,
    503: { "Retry-After": "1" },
  };
  return byStatus[status];
}
