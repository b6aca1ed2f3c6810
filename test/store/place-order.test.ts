import { beforeEach, expect, test } from "vitest";
import { send } from "../client.ts";
import { etagOf, freeOrderIds, outcome, placeOrder, refusal, success } from "../fixtures.ts";

beforeEach(freeOrderIds);

const full = {
  petId: 7,
  quantity: 2,
  shipDate: "2026-11-21T09:30:00.000+0000",
  status: "placed",
  complete: false,
};

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  petId: ["7", "", 1.5, 2 ** 53, true],
  quantity: [-1, 1.5, "2", "", true, 2 ** 53, [2]],
  shipDate: [1_790_000_000, true],
  status: ["Placed", "sold", "", 1],
  complete: ["true", "", 1, 0],
};

test.each(
  Object.entries(WRONG).flatMap(([member, values]) =>
    values.map((value): [string, unknown] => [member, value]),
  ),
)(
  "an order with a wrong %s is refused with its path: %j §2.7.2 §4.0 §V2.2",
  async (member, value) => {
    const answer = await send("POST", "/store/order", { json: { ...full, [member]: value } });
    expect(outcome(answer)).toEqual(refusal(400, "Invalid order", member));
  },
);

test("placing an order again with the same content answers 200 with the stored order and its ETag §4.3.2", async () => {
  const { etag } = await placeOrder({ id: 5, ...full });
  const { complete, status, ...others } = full;
  const again = await send("POST", "/store/order", {
    json: { complete, status, ...others, id: 5 },
  });
  expect(outcome(again)).toEqual(success({ id: 5, ...full }));
  expect(etagOf(again)).toBe(etag);
});
