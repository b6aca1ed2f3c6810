import type { Context } from "hono";
import { FORBIDDEN, isForeign } from "../http/access.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { getConditions } from "../http/etag.ts";
import { writeError } from "../http/resource.ts";
import { deleteOrder, findOrder, type OrderRow } from "./queries.ts";

export const NOT_FOUND = [404, "Order not found"] as const;

/** Finds an order. Throws `ApiError` 403, 404. */
export async function getOrderOrThrow(c: Context<AppEnv>, id: number): Promise<OrderRow> {
  const row = await findOrder(c.get("db"), id);
  if (!row) throw new ApiError(NOT_FOUND);
  if (isForeign(c, row)) throw new ApiError(FORBIDDEN);
  return row;
}

/** Deletes an order. Throws `ApiError` 403, 404, 412. */
export async function deleteOrderOrThrow(c: Context<AppEnv>, id: number): Promise<void> {
  const row = await deleteOrder(c.get("db"), id, getConditions(c));
  if (!row) throw writeError(c, await findOrder(c.get("db"), id), NOT_FOUND);
}
