import * as v from "valibot";
import { operation } from "../http/operation.ts";
import {
  ApiResponse,
  Id,
  Integer,
  JsonObject,
  NewId,
  PathId,
  expected,
  matching,
  optionalMember,
} from "../http/schemas.ts";
import { PetStatus } from "../pet/contract.ts";

const STATUSES = ["placed", "approved", "delivered"] as const;
const ORDER_RANGE = "must be from 1 to 10";

const HOUR = "(?:[01][0-9]|2[0-3])";
const MINUTE = "[0-5][0-9]";
const FRACTION = String.raw`(?:\.[0-9]{1,9})?`;
const LEAP_YEAR = "(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const DATE =
  "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))" +
  `|${LEAP_YEAR}-02-29)`;
/** A leap second is at midnight only in UTC. */
const LEAP_SECOND = `23:59:60${FRACTION}(?:Z|[+-]00:?00)?`;

/** A real ISO 8601 date-time: date, time of day, and optionally a fraction of a second and a zone. */
const DATE_TIME = `^${DATE}T(?:${HOUR}:${MINUTE}:${MINUTE}${FRACTION}(?:Z|[+-]${HOUR}:?${MINUTE})?|${LEAP_SECOND})$`;

export const OrderStatus = v.picklist(STATUSES, `must be one of ${STATUSES.join(", ")}`);

const orderMembers = {
  petId: optionalMember(Integer),
  quantity: optionalMember(v.pipe(Integer, v.minValue(0, "must not be negative"))),
  shipDate: optionalMember(
    v.pipe(
      v.string(expected("a string")),
      matching(DATE_TIME, "must be an ISO 8601 date-time such as 2026-11-21T09:30:00Z"),
    ),
  ),
  status: optionalMember(OrderStatus),
  complete: optionalMember(v.boolean(expected("a boolean"))),
};

export const Order = JsonObject({ id: Id, ...orderMembers });
export type Order = v.InferOutput<typeof Order>;

export const NewOrder = JsonObject({ id: NewId, ...orderMembers });
export type NewOrder = v.InferOutput<typeof NewOrder>;

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

export const placeOrder = operation({
  id: "placeOrder",
  access: "authenticated",
  body: { schema: NewOrder, invalid: 400 },
  success: Order,
  etag: true,
  showsItem: true,
  idempotent: true,
  errors: { 400: "Invalid order" },
});

const ORDER_ERRORS = {
  400: "Invalid ID supplied",
  403: "Forbidden",
  404: "Order not found",
  412: "Order does not meet the precondition",
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
