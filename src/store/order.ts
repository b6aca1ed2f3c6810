import * as v from "valibot";
import {
  Id,
  Integer,
  JsonObject,
  NewId,
  OneOf,
  expected,
  optionalMember,
} from "../http/schemas.ts";

const STATUSES = ["placed", "approved", "delivered"] as const;

/** The form of an ISO 8601 date-time. A leap second is 23:59:60 only in UTC. */
const DATE_TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[0-9]{2}:[0-9]{2}:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?|23:59:60(?:\.[0-9]{1,9})?(?:Z|[+-]00:?00)?)$/;

/** Whether the calendar has the day and the clock has the time of a date-time: `Date` would count on from others. */
function isReal(dateTime: string): boolean {
  const stated = dateTime.slice(0, "2026-11-21T09:30:00".length).replace(/60$/, "59");
  const date = new Date(`${stated}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(stated);
}

const DATE_TIME_MESSAGE = "must be an ISO 8601 date-time such as 2026-11-21T09:30:00Z";

export const OrderStatus = OneOf(STATUSES);

const orderMembers = {
  petId: optionalMember(Integer),
  quantity: optionalMember(v.pipe(Integer, v.minValue(0, "must not be negative"))),
  shipDate: optionalMember(
    v.pipe(
      v.string(expected("a string")),
      v.regex(DATE_TIME, DATE_TIME_MESSAGE),
      v.check(isReal, DATE_TIME_MESSAGE),
    ),
  ),
  status: optionalMember(OrderStatus),
  complete: optionalMember(v.boolean(expected("a boolean"))),
};

export const Order = JsonObject({ id: Id, ...orderMembers });
export type Order = v.InferOutput<typeof Order>;

export const NewOrder = JsonObject({ id: NewId, ...orderMembers });
export type NewOrder = v.InferOutput<typeof NewOrder>;
