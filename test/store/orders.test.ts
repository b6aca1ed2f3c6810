import { beforeEach, expect, test } from "vitest";
import { send } from "../client.ts";
import { etagOf, freeOrderIds, outcome, placeOrder, refusal, success } from "../fixtures.ts";
import { words } from "../spellings.ts";

beforeEach(freeOrderIds);

const place = async (members: object = {}): Promise<number> => (await placeOrder(members)).id;

async function places(count: number): Promise<number[]> {
  const ids = [];
  for (let n = 0; n < count; n++) ids.push(await place());
  return ids;
}

// The store is new, and no other test of this file takes an id past 10.
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
