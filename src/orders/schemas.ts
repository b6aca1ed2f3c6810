import * as v from "valibot";
import { Id, Integer, NewId, PathId, expected, oneOf, plainObject } from "../http/schemas.ts";

export const OrderStatus = oneOf("placed", "approved", "delivered");

/** The days of the Gregorian calendar. This is a pattern so that the documents can contain it. */
const DAY = [
  String.raw`\d{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])`,
  String.raw`\d{4}-(?:0[469]|11)-(?:0[1-9]|[12]\d|30)`,
  String.raw`\d{4}-02-(?:0[1-9]|1\d|2[0-8])`,
  String.raw`(?:\d{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29`,
].join("|");

/** Hours and minutes. Seconds, with up to nine fraction digits, are optional. */
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;

const ZONE = String.raw`[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d`;

/** An ISO 8601 date-time with or without a zone. */
const DATE_TIME = new RegExp(`^(?:${DAY})[Tt]${TIME}(?:${ZONE})?$`);

const DATE_TIME_MESSAGE =
  "must be an ISO 8601 date-time such as 2026-11-21T09:30:00Z; seconds, fractions, and the zone are optional";

const fields = {
  petId: v.nullish(Integer, null),
  quantity: v.nullish(v.pipe(Integer, v.minValue(0, "must not be negative")), null),
  shipDate: v.nullish(v.pipe(v.string(expected("a string")), v.regex(DATE_TIME, DATE_TIME_MESSAGE)), null),
  status: v.nullish(OrderStatus, null),
  complete: v.nullish(v.boolean(expected("a boolean")), null),
};

/** An order in a body. Absent fields are `null`, as in its row. */
export const NewOrder = plainObject({ id: NewId, ...fields });
export type NewOrder = v.InferOutput<typeof NewOrder>;

export const Order = v.object({ id: Id, ...fields });
export type Order = v.InferOutput<typeof Order>;

/** The highest ID of an order that `/v2` looks up. */
export const MAX_LOOKUP_ID = 10;

const LOOKUP_MESSAGE =
  "must be from 1 to 10. DELETE accepts any ID, and /api/v3/store/order/{orderId} returns any order";

/** The ID of an order that `/v2` looks up: 1 to 10, as the specification says. */
export const LookupId = v.pipe(PathId, v.minValue(1, LOOKUP_MESSAGE), v.maxValue(MAX_LOOKUP_ID, LOOKUP_MESSAGE));
