import { beforeEach, expect, test } from "vitest";
import { send } from "../client.ts";
import {
  etagOf,
  freeOrderIds,
  outcome,
  placeOrder,
  refusal,
  success,
  uniqueId,
} from "../fixtures.ts";

beforeEach(freeOrderIds);

const full = {
  petId: 7,
  quantity: 2,
  shipDate: "2026-11-21T09:30:00.000+0000",
  status: "placed",
  complete: false,
};

test("an order with every member comes back as it was sent §4.3.1", async () => {
  const { id, path, shown } = await placeOrder(full);
  expect(shown).toEqual({ id, ...full });
  expect(outcome(await send("GET", path))).toEqual(success({ id, ...full }));
});

test("{} is an order: it has an id, and what is absent stays absent §4.2.1 §4.3.1", async () => {
  const { id, path, shown } = await placeOrder({});
  expect(shown).toEqual({ id });
  expect(outcome(await send("GET", path))).toEqual(success({ id }));
});

test("null on a member of an order is the same as leaving it out §2.5.3", async () => {
  const { id, path } = await placeOrder({
    id: null,
    petId: null,
    quantity: null,
    shipDate: null,
    status: null,
    complete: null,
  });
  expect(outcome(await send("GET", path))).toEqual(success({ id }));
});

test.each<object>([
  { petId: 0 },
  { petId: -5 },
  { petId: 999_999_999_999 },
  { petId: 2 ** 53 - 1 },
  { petId: 1 - 2 ** 53 },
  { quantity: 0 },
  { quantity: 2 ** 53 - 1 },
  { status: "placed" },
  { status: "approved" },
  { status: "delivered" },
  { complete: true },
  { complete: false },
  { status: "delivered", complete: false },
  { status: "placed", complete: true },
])("the order %j comes back as it was sent §4.0", async (members) => {
  const { id, path, shown } = await placeOrder(members);
  expect(shown).toEqual({ id, ...members });
  expect(outcome(await send("GET", path))).toEqual(success({ id, ...members }));
});

test.each<[string, unknown]>([
  ["petId", "7"],
  ["petId", ""],
  ["petId", 1.5],
  ["petId", 2 ** 53],
  ["petId", true],
  ["quantity", -1],
  ["quantity", 1.5],
  ["quantity", "2"],
  ["quantity", ""],
  ["quantity", true],
  ["quantity", 2 ** 53],
  ["quantity", [2]],
  ["shipDate", 1_790_000_000],
  ["status", "Placed"],
  ["status", "sold"],
  ["status", ""],
  ["status", 1],
  ["shipDate", true],
  ["complete", "true"],
  ["complete", ""],
  ["complete", 1],
  ["complete", 0],
])(
  "an order whose %s is %j is refused, naming it §2.5.4 §2.7.1 §2.7.2 §4.0 §V2.2",
  async (member, value) => {
    const answer = await send("POST", "/store/order", { json: { ...full, [member]: value } });
    expect(outcome(answer)).toEqual(refusal(400, "Invalid order", member));
  },
);

test("a refusal names every member that is at fault", async () => {
  const json = { petId: "7", quantity: -1, status: "sold" };
  const answer = await send("POST", "/store/order", { json });
  expect(outcome(answer)).toEqual(refusal(400, "Invalid order", "petId", "quantity", "status"));
});

test("a refused order takes no id", async () => {
  await send("POST", "/store/order", { json: { quantity: -1 } });
  await send("POST", "/store/order", { json: { id: 3, quantity: -1 } });
  expect((await placeOrder()).id).toBe(1);
  expect((await send("GET", "/store/order/3")).status).toBe(404);
});

test("placing an order again with the same content answers 200 with the stored order and its ETag §4.3.2", async () => {
  const { etag } = await placeOrder({ id: 5, ...full });
  const { complete, status, ...others } = full;
  const again = await send("POST", "/store/order", {
    json: { complete, status, ...others, id: 5 },
  });
  expect(outcome(again)).toEqual(success({ id: 5, ...full }));
  expect(etagOf(again)).toBe(etag);
});

test.each<object>([
  { petId: 8 },
  { quantity: 3 },
  { shipDate: "2026-11-21T09:30:00Z" },
  { status: "approved" },
  { complete: true },
  { complete: null },
  { status: undefined },
])(
  "a taken order id with other content (%j) is refused and changes nothing §4.3.2",
  async (change) => {
    const { path, etag } = await placeOrder({ id: 5, ...full });
    const refused = await send("POST", "/store/order", { json: { id: 5, ...full, ...change } });
    expect(outcome(refused)).toEqual(refusal(400, "Invalid order", "id"));
    expect(refused.text).toContain("taken");
    const kept = await send("GET", path);
    expect(kept.json).toEqual({ id: 5, ...full });
    expect(etagOf(kept)).toBe(etag);
  },
);

test("a taken order id that cannot be looked up is refused too §4.3.2", async () => {
  const { id } = await placeOrder({ id: uniqueId() });
  expect(outcome(await send("POST", "/store/order", { json: { id } }))).toEqual(success({ id }));
  const refused = await send("POST", "/store/order", { json: { id, quantity: 1 } });
  expect(outcome(refused)).toEqual(refusal(400, "Invalid order", "id"));
});
