import { beforeEach, expect, test } from "vitest";
import { send } from "../client.ts";
import { freeOrderIds, outcome, placeOrder, refusal, success } from "../fixtures.ts";
import { words } from "../spellings.ts";

beforeEach(freeOrderIds);

test.each([
  ...words("2026-11-21T09:30:00Z 2026-11-21T09:30:00 2026-11-21T09:30:00.123Z"),
  ...words("2026-11-21T09:30:00.000+0000 2026-11-21T09:30:00+00:00 2026-11-21T09:30:00+0000"),
  ...words("2026-11-21T09:30:00-05:00 2026-11-21T09:30:00.123+01:00 2026-11-21T09:30:00.123456"),
  ...words("2026-11-21T09:30:00.123456+00:00 2026-11-21T09:30:00+14:00 2026-11-21T09:30:00.1"),
  ...words("2026-11-21T09:30:00.123456789Z 2026-11-21T09:30:00.000000000+0530"),
  ...words("2024-02-29T00:00:00Z 2000-02-29T23:59:59Z 2026-12-31T23:59:59.999999999Z"),
  ...words("0001-01-01T00:00:00Z 9999-12-31T23:59:59Z 1970-01-01T00:00:00Z"),
])("the shipDate %s comes back as it was sent §4.2.2", async (shipDate) => {
  const { id, path, shown } = await placeOrder({ shipDate });
  expect(shown).toEqual({ id, shipDate });
  expect(outcome(await send("GET", path))).toEqual(success({ id, shipDate }));
});

test.each([
  "",
  "2026-11-21 09:30:00Z",
  "2026-11-21T09:30:00 GMT",
  " 2026-11-21T09:30:00Z",
  "2026-11-21T09:30:00Z\n",
  "Sat, 21 Nov 2026 09:30:00 GMT",
  ...words("string tomorrow <timestamp> 2026-11-21 09:30:00Z 26-11-21T09:30:00Z 1795253400"),
  ...words("2026-13-01T00:00:00Z 2026-00-01T00:00:00Z 2026-11-00T00:00:00Z 2026-11-31T00:00:00Z"),
  ...words("2026-02-29T00:00:00Z 1900-02-29T00:00:00Z 2026-11-21T25:00:00Z 2026-11-21T09:60:00Z"),
  ...words("2026-11-21T09:30:61Z 2026-11-21T09:30:00.Z 2026-11-21T09:30:00.1234567890Z"),
  ...words("2026-11-21T09:30:00+25:00 2026-11-21T09:30:00+00:60 2026-11-21T09:30:00+"),
  ...words("2026-11-21T09:30:00ZZ 2026-1-2T09:30:00Z ２０２６-11-21T09:30:00Z"),
])("the shipDate %j is refused §4.2.2", async (shipDate) => {
  const answer = await send("POST", "/store/order", { json: { shipDate } });
  expect(outcome(answer)).toEqual(refusal(400, "Invalid order", "shipDate"));
});
