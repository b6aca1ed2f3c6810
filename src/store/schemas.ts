import * as v from "valibot";
import { Id, Integer, NewId, NotArray, PathId, expected } from "../schemas.ts";

const STATUSES = ["placed", "approved", "delivered"] as const;

export const OrderStatus = v.picklist(STATUSES, `must be one of ${STATUSES.join(", ")}`);

/** An ISO 8601 date-time with or without seconds, up to nine fraction digits, and with or without a zone. */
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

/** Whether the calendar has this day: `Date` would count on from 30 February. */
function isRealDay(dateTime: string): boolean {
  const day = dateTime.slice(0, "2026-11-21".length);
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

const DATE_TIME_MESSAGE =
  "must be an ISO 8601 date-time such as 2026-11-21T09:30:00Z; seconds, fractions and the zone may be left out";

const members = {
  petId: v.nullish(Integer, null),
  quantity: v.nullish(v.pipe(Integer, v.minValue(0, "must not be negative")), null),
  shipDate: v.nullish(
    v.pipe(
      v.string(expected("a string")),
      v.regex(DATE_TIME, DATE_TIME_MESSAGE),
      v.check(isRealDay, DATE_TIME_MESSAGE),
    ),
    null,
  ),
  status: v.nullish(OrderStatus, null),
  complete: v.nullish(v.boolean(expected("a boolean")), null),
};

/** An order in a body. Absent members are `null`, as in its row. */
export const NewOrder = v.pipe(NotArray, v.object({ id: NewId, ...members }, expected("an object")));
export type NewOrder = v.InferOutput<typeof NewOrder>;

export const Order = v.object({ id: Id, ...members });
export type Order = v.InferOutput<typeof Order>;

/** The id of an order that `/v2` looks up: 1 to 10, as the specification says. */
export const LookUpId = v.pipe(
  PathId,
  v.check(
    (id) => id >= 1 && id <= 10,
    "must be from 1 to 10. DELETE takes any id, and /api/v3/store/order/{orderId} shows any order",
  ),
);
