import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { isVersioned } from "../db/conditions.ts";
import type { Conflict, Creation } from "../db/creation.ts";
import { FORBIDDEN, isForeign } from "./access.ts";
import { resolvePath } from "./address.ts";
import type { AppEnv } from "./env.ts";
import { ApiError, type ErrorSpec } from "./errors.ts";
import { PRECONDITION_FAILED, getConditions, setETag } from "./etag.ts";
import { withMetadata } from "./operation.ts";
import { sendJson } from "./send-json.ts";

export const INVALID_KEY = [400, "Invalid idempotency key"] as const;
const KEY_REUSED = [422, "The idempotency key was used with another body"] as const;

/** Returns Swagger Petstore's `ApiResponse`, the body of responses that the specification shows without a body. */
export const apiResponse = (message: string) => ({ code: 200, type: "unknown", message }) as const;

/** Sends a pet or an order. @param path the path of the resource, if the request has another path */
export function sendResource<Row extends { readonly version: number }, Shown extends object>(
  c: Context<AppEnv>,
  row: Row,
  show: (row: Row) => Shown,
  path?: string,
) {
  setETag(c, row);
  if (path !== undefined) c.header("Content-Location", resolvePath(c, path));
  return sendJson(c, show(row));
}

/** Explains why a write matched no row. @param row the row with this ID, ignoring conditions */
export function writeError(
  c: Context<AppEnv>,
  row: { readonly owner: string | null } | undefined,
  notFound: ErrorSpec,
): ApiError {
  if (row && isForeign(c, row)) return new ApiError(FORBIDDEN);
  // Without conditions, the row was created after the write had found no row.
  return new ApiError(row && isVersioned(getConditions(c)) ? PRECONDITION_FAILED : notFound);
}

/** Accepts an `Idempotency-Key`. */
export const validateIdempotencyKey = withMetadata(
  { errors: [INVALID_KEY, KEY_REUSED] },
  createMiddleware<AppEnv>(async (c, next) => {
    const key = c.req.header("Idempotency-Key") || null;
    if (key !== null && !/^[\x20-\x7e]{1,255}$/.test(key)) {
      const message = "must have 1 to 255 printable ASCII characters";
      throw new ApiError(INVALID_KEY, [{ path: "Idempotency-Key", message }]);
    }
    await next();
  }),
);

/** Returns the owner and idempotency key of a new row. */
export const getCreation = (c: Context<AppEnv>): Creation => ({
  owner: c.get("user")?.accountId ?? null,
  idempotencyKey: c.req.header("Idempotency-Key") || null,
});

/** Returns a new or repeated row. Throws `ApiError` if the ID or the key is in use. @param inUse the error for an ID */
export function rowOrThrow<Row extends object>(row: Row | Conflict, inUse: ErrorSpec): Row {
  if (row === "id in use") throw new ApiError(inUse, [{ path: "id", message: "is already in use" }]);
  if (row === "key reused") throw new ApiError(KEY_REUSED);
  return row;
}
