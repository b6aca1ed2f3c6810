import type { Context } from "hono";
import { pathOf } from "./address.ts";
import type { Conflict, Creation } from "../db/creation.ts";
import type { AppEnv } from "./env.ts";
import { ApiError, type Refusal } from "./errors.ts";
import { FORBIDDEN, isForeign } from "./access.ts";
import { PRECONDITION_FAILED, conditionsOf, setETag } from "./etag.ts";

export const INVALID_KEY = [400, "Invalid idempotency key"] as const;
export const KEY_REUSED = [422, "The idempotency key was used with another body"] as const;

/** Answers with a pet or an order. @param path its own, where the request has another */
export function sendRow<Row extends { readonly version: number }, Shown extends object>(
  c: Context<AppEnv>,
  row: Row,
  show: (row: Row) => Shown,
  path?: string,
) {
  setETag(c, row);
  if (path !== undefined) c.header("Content-Location", pathOf(c, path));
  return c.json(show(row));
}

/** Why a change found no row. @param row the row without its conditions, if there is one */
export function refusalOf(
  c: Context<AppEnv>,
  row: { readonly owner: string | null } | undefined,
  missing: Refusal,
): ApiError {
  if (row && isForeign(c, row)) return new ApiError(FORBIDDEN);
  // Without `If-Match`, the row was made after the change had found none.
  return new ApiError(row && conditionsOf(c).versions ? PRECONDITION_FAILED : missing);
}

/** Who makes a row, and the `Idempotency-Key` of the request. @throws ApiError 400 */
export function creationOf(c: Context<AppEnv>): Creation {
  const idempotencyKey = c.req.header("Idempotency-Key") || null;
  if (idempotencyKey !== null && !/^[\x20-\x7e]{1,255}$/.test(idempotencyKey)) {
    const message = "must have 1 to 255 printable ASCII characters";
    throw new ApiError(INVALID_KEY, [{ path: "Idempotency-Key", message }]);
  }
  return { owner: c.get("user")?.accountId ?? null, idempotencyKey };
}

/** What a creation made or found again. @param taken the refusal if something else has its id */
export function createdRow<Row extends object>(row: Row | Conflict, taken: Refusal): Row {
  if (row === "id taken") throw new ApiError(taken, [{ path: "id", message: "is taken" }]);
  if (row === "key reused") throw new ApiError(KEY_REUSED);
  return row;
}
