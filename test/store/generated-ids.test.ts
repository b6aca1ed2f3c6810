import { expect, test } from "vitest";
import { send } from "../client.ts";
import { freeOrderIds, placeOrder } from "../fixtures.ts";

const place = async (members: object = {}): Promise<number> => (await placeOrder(members)).id;

async function places(count: number): Promise<number[]> {
  const ids = [];
  for (let n = 0; n < count; n++) ids.push(await place());
  return ids;
}

// One test: what is generated past 10 depends on every order placed before it in this file.
test("orders get the lowest free id of 1 to 10, and past them ascending ones from 11 §1.4.1 §1.5.5", async () => {
  expect(await places(12)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);

  for (const id of [7, 4, 11]) await send("DELETE", `/store/order/${id}`);
  expect(await places(3)).toEqual([4, 7, 13]);

  expect(await place({ id: 2 ** 53 - 1 })).toBe(2 ** 53 - 1);
  expect(await place({ id: 15 })).toBe(15);
  expect(await places(2)).toEqual([14, 16]);

  await freeOrderIds();
  expect(await place({ id: 2 })).toBe(2);
  expect(await place({ id: null })).toBe(1);
  expect(await place({ id: 0 })).toBe(3);
  expect(await places(8)).toEqual([4, 5, 6, 7, 8, 9, 10, 17]);
});
