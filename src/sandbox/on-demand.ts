import type { Context } from "hono";
import type { AppEnv } from "../env.ts";
import { unauthenticated } from "../middleware/auth.ts";
import { tooMany } from "../middleware/rate-limit.ts";
import { LARGE_BODY, MULTIPART, SMALL_BODY, URLENCODED, tooLarge } from "../middleware/validate.ts";
import { operationOf } from "../operation.ts";
import { MAX_FILE_BYTES, MAX_FORM_BYTES } from "../pet/images.ts";
import { methodsAt, pathBelow, type Rule } from "./rules.ts";

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
  "404 getPetImage": "Image not found",
  "404 pet": "Pet not found",
  "404 store": "Order not found",
  "404 user": "User not found",
  "404": "Not found",
  "405 addPet": ["Invalid input", "Method not allowed"],
  "405 updatePet": ["Validation exception", "Method not allowed"],
  "405 updatePetWithForm": ["Invalid input", "Method not allowed"],
  "405": "Method not allowed",
  "409 pet": "Duplicate pet",
  "409 store": "Duplicate order",
  "409 user": "Duplicate user",
  "412": "Precondition failed",
  "413 createUsersWithArrayInput": tooLarge(LARGE_BODY).message,
  "413 createUsersWithListInput": tooLarge(LARGE_BODY).message,
  "413 uploadFile": [tooLarge(MAX_FORM_BYTES).message, tooLarge(MAX_FILE_BYTES).message],
  "413": tooLarge(SMALL_BODY).message,
  "415": "Unsupported media type",
  "416": "Range not satisfiable",
  "422": ["The idempotency key was used with another body", "Validation exception"],
  "429": "Too many requests",
  "500": "Internal server error",
  "503": "Service unavailable",
  "507": "A sandbox has at most 10 MB of data",
};

/** An answer instead of the real one. An error without a body looks like the real error. */
export function answerOnDemand(c: Context<AppEnv>, status: number, { body, retryAfter }: Rule): Response {
  const path = pathBelow(c);
  const isV3 = c.req.path.startsWith(`${c.get("mount")}/api/v3`);
  const operationId = operationOf(c);
  const isReal = body === undefined && status >= 400;
  const headers = new Headers(isReal ? headersOfErrors(path, isV3, operationId)[status] : {});
  // As the routes would set it.
  headers.set("Cache-Control", path.startsWith("/user") ? "no-store, no-transform" : "private, no-cache");
  if (retryAfter !== undefined) headers.set("Retry-After", String(retryAfter));
  if (isReal) {
    const [, resource] = operationId ? path.split("/") : [];
    const keys = [`${status} ${operationId}`, `${status} ${resource}`, `${status}`];
    const said = keys.map((key) => MESSAGES[key]).find(Boolean) ?? "Error on demand";
    const message = typeof said === "string" ? said : said[isV3 ? 1 : 0];
    return Response.json({ code: status, type: "error", message }, { status, headers });
  }
  if (!body || [204, 205, 304].includes(status)) return new Response(null, { status, headers });
  headers.set("Content-Type", `text/${body.startsWith("<") ? "html" : "plain"}; charset=utf-8`);
  return new Response(body, { status, headers });
}

/** The headers of real errors by status. */
function headersOfErrors(path: string, isV3: boolean, operationId = ""): Record<number, Record<string, string>> {
  const accepted: Readonly<Record<string, string>> = {
    updatePetWithForm: `${URLENCODED}, ${MULTIPART}`,
    uploadFile: isV3 ? "application/octet-stream, image/*" : MULTIPART,
  };
  return {
    401: unauthenticated().headers,
    405: { Allow: [...methodsAt(path), "OPTIONS"].join(", ") },
    415: { Accept: accepted[operationId] ?? "application/json" },
    429: tooMany().headers,
    503: { "Retry-After": "1" },
  };
}
