import * as v from "valibot";
import {
  Id,
  Integer,
  JsonObject,
  NewId,
  OneOf,
  expected,
  matching,
  optionalMember,
} from "../http/schemas.ts";

const STATUSES = ["placed", "approved", "delivered"] as const;

const HOUR = "(?:[01][0-9]|2[0-3])";
const MINUTE = "[0-5][0-9]";
const FRACTION = String.raw`(?:\.[0-9]{1,9})?`;
const LEAP_YEAR = "(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const DATE =
  "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))" +
  `|${LEAP_YEAR}-02-29)`;
/** A leap second is 23:59:60 only in UTC. */
const LEAP_SECOND = `23:59:60${FRACTION}(?:Z|[+-]00:?00)?`;

/** A real ISO 8601 date-time: date, time of day, and optionally a fraction of a second and a zone. */
const DATE_TIME = `^${DATE}T(?:${HOUR}:${MINUTE}:${MINUTE}${FRACTION}(?:Z|[+-]${HOUR}:?${MINUTE})?|${LEAP_SECOND})$`;

export const OrderStatus = OneOf(STATUSES);

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
