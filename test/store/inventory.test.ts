import { expect, test } from "vitest";
import type { Pet } from "../../src/pet/contract.ts";
import { send } from "../client.ts";
import { createPet, outcome, success, uniqueId } from "../fixtures.ts";

type Counts = Record<"available" | "pending" | "sold", number>;

async function inventory(): Promise<Counts> {
  const answer = await send("GET", "/store/inventory");
  expect(answer.status).toBe(200);
  return answer.json as Counts;
}

/** What an action changes in the inventory. */
async function changeBy(action: () => Promise<unknown>): Promise<Counts> {
  const before = await inventory();
  await action();
  const after = await inventory();
  return {
    available: after.available - before.available,
    pending: after.pending - before.pending,
    sold: after.sold - before.sold,
  };
}

const unchanged: Counts = { available: 0, pending: 0, sold: 0 };

test("the inventory of a store without pets has all three statuses, with zero §4.1.1", async () => {
  const pets = await send("GET", "/pet/findByStatus?status=available,pending,sold");
  for (const { id } of pets.json as Pet[]) await send("DELETE", `/pet/${id}`);
  expect(outcome(await send("GET", "/store/inventory"))).toEqual(
    success({ available: 0, pending: 0, sold: 0 }),
  );
});

test("the inventory has these three statuses and no more, whatever pets there are §4.1.1", async () => {
  await createPet();
  await createPet({ status: "sold" });
  expect(Object.keys(await inventory()).toSorted()).toEqual(["available", "pending", "sold"]);
});

test.each(["available", "pending", "sold"])(
  "a new pet that is %s counts once §3.3 §4.1.2",
  async (status) => {
    expect(await changeBy(() => createPet({ status }))).toEqual({ ...unchanged, [status]: 1 });
  },
);

test("a new pet without status does not count", async () => {
  expect(await changeBy(() => createPet())).toEqual(unchanged);
});

test.each([
  { from: "available", to: "sold", change: { available: -1, pending: 0, sold: 1 } },
  { from: "pending", to: "available", change: { available: 1, pending: -1, sold: 0 } },
  { from: undefined, to: "pending", change: { available: 0, pending: 1, sold: 0 } },
  { from: "sold", to: undefined, change: { available: 0, pending: 0, sold: -1 } },
  { from: "sold", to: "sold", change: unchanged },
  { from: undefined, to: undefined, change: unchanged },
])("an update from $from to $to is counted §4.1.2", async ({ from, to, change }) => {
  const { shown } = await createPet({ status: from });
  const json = { ...shown, name: "Max", status: to };
  expect(await changeBy(() => send("PUT", "/pet", { json }))).toEqual(change);
});

test.each([
  { status: "available", change: { ...unchanged, available: -1 } },
  { status: "pending", change: { ...unchanged, pending: -1 } },
  { status: "sold", change: { ...unchanged, sold: -1 } },
  { status: undefined, change: unchanged },
])("a deleted pet that was $status counts no more §4.1.2", async ({ status, change }) => {
  const { path } = await createPet({ status });
  expect(await changeBy(() => send("DELETE", path))).toEqual(change);
});

test("requests that are refused, repeated or for a missing pet do not count §4.1.2", async () => {
  const { path, shown } = await createPet({ id: uniqueId(), status: "sold" });
  const stale = { "If-Match": '"stale"' };
  const change = await changeBy(async () => {
    await send("POST", "/pet", { json: shown });
    await send("POST", "/pet", { json: { ...shown, status: "available" } });
    await send("POST", "/pet", { json: { name: "", photoUrls: "rex.png", status: "sold" } });
    await send("PUT", "/pet", { json: { ...shown, status: "lost" } });
    await send("PUT", "/pet", { json: { ...shown, id: uniqueId(), status: "pending" } });
    await send("PUT", "/pet", { json: { ...shown, status: "pending" }, headers: stale });
    await send("DELETE", path, { headers: stale });
    await send("DELETE", `/pet/${uniqueId()}`);
  });
  expect(change).toEqual(unchanged);
});

test("orders do not change the inventory §4.1.2", async () => {
  const { id } = await createPet({ status: "available" });
  const json = { petId: id, quantity: 3, status: "placed" };
  expect(await changeBy(() => send("POST", "/store/order", { json }))).toEqual(unchanged);
});
