import { expect, test } from "vitest";
import { send } from "../client.ts";
import { etagOf, outcome, refusal, success, uniqueId } from "../fixtures.ts";
import { basePath3, send3 } from "./client.ts";

test("any order is looked up, in its range or beyond it §11.5", async () => {
  const order = { petId: 1, quantity: 2, shipDate: "2026-12-01T09:30:00+0100", complete: true };
  for (const id of [1, 11, uniqueId(), Number.MAX_SAFE_INTEGER]) {
    const json = { id, ...order };
    const placed = await send3("POST", "/store/order", { json });
    expect(outcome(placed)).toEqual(success(json));
    expect(placed.headers.get("content-location")).toBe(`${basePath3()}/store/order/${id}`);
    const found = await send3("GET", `/store/order/${id}`);
    expect([found.json, etagOf(found)]).toEqual([json, etagOf(placed)]);
    const read = { headers: { "If-None-Match": etagOf(placed) } };
    expect((await send3("GET", `/store/order/${id}`, read)).status).toBe(304);
    expect((await send("GET", `/store/order/${id}`)).status).toBe(id === 1 ? 200 : 400);
  }
  for (const id of [0, -1, uniqueId()]) {
    const missing = await send3("GET", `/store/order/${id}`);
    expect(outcome(missing)).toEqual(refusal(404, "Order not found"));
  }
});

test("the same order again is 200, and another one under the id is 409 and changes nothing §11.2.4", async () => {
  const json = { id: uniqueId(), quantity: 1 };
  const placed = await send("POST", "/store/order", { json });
  const again = await send3("POST", "/store/order", { json: { ...json, status: null } });
  expect([outcome(again), etagOf(again)]).toEqual([success(json), etagOf(placed)]);
  for (const other of [{ quantity: 2 }, { petId: 1 }, { quantity: undefined }]) {
    const refused = await send3("POST", "/store/order", { json: { ...json, ...other } });
    expect(outcome(refused)).toEqual(refusal(409, "Duplicate order", "id"));
  }
  expect((await send3("GET", `/store/order/${json.id}`)).json).toEqual(json);
});
