import { beforeEach, expect, test } from "vitest";
import { send } from "../client.ts";
import {
  done,
  freeOrderIds,
  outcome,
  placeOrder,
  refusal,
  success,
  uniqueId,
} from "../fixtures.ts";

beforeEach(freeOrderIds);

const MISSING = refusal(404, "Order not found");

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])("order %i can be looked up §4.4", async (id) => {
  expect(outcome(await send("GET", `/store/order/${id}`))).toEqual(MISSING);
  await placeOrder({ id, quantity: id });
  expect(outcome(await send("GET", `/store/order/${id}`))).toEqual(success({ id, quantity: id }));
});

test("a look-up of an order outside 1 to 10 is 400 even where the order exists §1.3.3", async () => {
  const { path } = await placeOrder({ id: uniqueId() });
  expect((await send("GET", path)).status).toBe(400);
});

test.each([1, 10, 11, 2 ** 53 - 1])(
  "DELETE deletes order %i; then it is 404 §1.3.4 §2.8 §4.5",
  async (id) => {
    await send("DELETE", `/store/order/${id}`);
    const { path } = await placeOrder({ id });
    expect(outcome(await send("DELETE", path))).toEqual(done(String(id)));
    expect(outcome(await send("DELETE", path))).toEqual(MISSING);
  },
);

test("a deleted order is not found any more, and other orders are", async () => {
  const other = await placeOrder({ quantity: 1 });
  const { path } = await placeOrder({ quantity: 2 });
  await send("DELETE", path);
  expect(outcome(await send("GET", path))).toEqual(MISSING);
  expect((await send("GET", other.path)).json).toEqual(other.shown);
});
