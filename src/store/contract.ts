import * as v from "valibot";
import { operation } from "../http/operation.ts";
import {
  ApiResponse,
  apiResponse,
  Id,
  Integer,
  JsonObject,
  NewId,
  PathId,
  expected,
  optionalMember,
  rule,
} from "../http/schemas.ts";
import { PetStatus } from "../pet/contract.ts";

const STATUSES = ["placed", "approved", "delivered"] as const;
const ORDER_RANGE = "must be from 1 to 10";

/** A real ISO 8601 date-time: date, time of day, and at will a fraction of a second and a zone. */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-](\d{2}):?(\d{2}))?$/;

function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text);
  if (!parts) return false;
  const [
    year = 0,
    month = 0,
    day = 0,
    hour = 0,
    minute = 0,
    second = 0,
    zoneHour = 0,
    zoneMinute = 0,
  ] = parts.slice(1).map((part: string | undefined) => Number(part ?? 0));
  const date = new Date(0);
  // `Date.UTC` would read years below 100 as of the 20th century.
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  const utc = zoneHour === 0 && zoneMinute === 0;
  const leapSecond = second === 60 && hour === 23 && minute === 59 && utc;
  return (
    real &&
    hour < 24 &&
    minute < 60 &&
    (second < 60 || leapSecond) &&
    zoneHour < 24 &&
    zoneMinute < 60
  );
}

const orderMembers = {
  petId: optionalMember(Integer),
  quantity: optionalMember(v.pipe(Integer, v.minValue(0, "must not be negative"))),
  shipDate: optionalMember(
    v.pipe(
      v.string(expected("a string")),
      rule(isDateTime, "must be an ISO 8601 date-time such as 2026-11-21T09:30:00Z", {
        pattern: DATE_TIME.source,
      }),
    ),
  ),
  status: optionalMember(v.picklist(STATUSES, `must be one of ${STATUSES.join(", ")}`)),
  complete: optionalMember(v.boolean(expected("a boolean"))),
};

export const Order = JsonObject({ id: Id, ...orderMembers });
export type Order = v.InferOutput<typeof Order>;

export const NewOrder = JsonObject({ id: NewId, ...orderMembers });
export type NewOrder = v.InferOutput<typeof NewOrder>;

const newOrderExample = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
};
const orderExample = { id: 1, ...newOrderExample };

/** Number of pets by status: always every status. */
export const Inventory = v.object(
  v.entriesFromList(PetStatus.options, v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
);

export const getInventory = operation({
  id: "getInventory",
  access: "anyone",
  summary: "Number of pets by status",
  success: Inventory,
  result: { available: 7, pending: 2, sold: 1 },
  errors: {},
});

export const placeOrder = operation({
  id: "placeOrder",
  access: "authenticated",
  summary: "Place an order for a pet",
  description: "Without an id, the order gets the lowest free one of 1 to 10, else the next above.",
  body: { schema: NewOrder, invalid: 400, example: newOrderExample },
  success: Order,
  result: orderExample,
  etag: true,
  showsItem: true,
  errors: { 400: "Invalid order" },
});

export const getOrderById = operation({
  id: "getOrderById",
  access: "owner",
  summary: "Find an order by its id",
  description: "Only the ids 1 to 10 can be looked up.",
  params: v.object({
    // SPEC §4 rule 3: only these can be looked up.
    orderId: v.pipe(PathId, v.minValue(1, ORDER_RANGE), v.maxValue(10, ORDER_RANGE)),
  }),
  examples: { orderId: 1 },
  success: Order,
  result: orderExample,
  etag: true,
  errors: {
    400: "Invalid ID supplied",
    403: "Forbidden",
    404: "Order not found",
    412: "Order does not meet the precondition",
  },
});

export const deleteOrder = operation({
  id: "deleteOrder",
  access: "owner",
  summary: "Delete an order",
  params: v.object({ orderId: PathId }),
  examples: { orderId: 1 },
  success: ApiResponse,
  result: apiResponse("1"),
  errors: {
    400: "Invalid ID supplied",
    403: "Forbidden",
    404: "Order not found",
    412: "Order does not meet the precondition",
  },
});
