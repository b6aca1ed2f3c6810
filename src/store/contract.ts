import * as v from "valibot";
import { operation } from "../http/operation.ts";
import { ApiResponse, PathId } from "../http/schemas.ts";
import { PetStatus } from "../pet/pet.ts";
import { NewOrder, Order } from "./order.ts";

const ORDER_RANGE =
  "must be from 1 to 10: delete an order to free its id, or look any order up below /api/v3";

/** The number of pets for each status. It always has every status. */
export const Inventory = v.object(
  v.entriesFromList(PetStatus.options, v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
);

export const getInventory = operation({
  id: "getInventory",
  access: "anyone",
  success: Inventory,
  errors: {},
});

const INVALID_ORDER = [400, "Invalid order"] as const;

export const placeOrder = operation({
  id: "placeOrder",
  access: "authenticated",
  body: { schema: NewOrder },
  success: Order,
  etag: true,
  showsItem: true,
  idempotent: true,
  errors: { malformed: INVALID_ORDER, invalid: INVALID_ORDER, taken: INVALID_ORDER },
});

const ORDER_ERRORS = {
  invalidParameter: [400, "Invalid ID supplied"],
  forbidden: [403, "Forbidden"],
  missing: [404, "Order not found"],
  changed: [412, "Order does not meet the precondition"],
} as const;

export const getOrderById = operation({
  id: "getOrderById",
  access: "owner",
  params: v.object({
    // interface §4.4: only these can be looked up.
    orderId: v.pipe(PathId, v.minValue(1, ORDER_RANGE), v.maxValue(10, ORDER_RANGE)),
  }),
  success: Order,
  etag: true,
  errors: ORDER_ERRORS,
});

export const deleteOrder = operation({
  id: "deleteOrder",
  access: "owner",
  params: v.object({ orderId: PathId }),
  success: ApiResponse,
  errors: ORDER_ERRORS,
});
