import { expect, test } from "vitest";
import { placeOrder, send } from "../client.ts";

test("any order is looked up, in the range of /v2 or beyond it", async () => {
  for (const id of [1, 11, Number.MAX_SAFE_INTEGER]) {
    const json = { id, petId: 1, quantity: 2, shipDate: "2026-12-01T09:30Z", status: "placed", complete: true };
    const placed = await send("POST", "/api/v3/store/order", { json });
    expect([placed.status, await placed.json()]).toEqual([200, json]);
    const found = await send("GET", `/api/v3/store/order/${id}`);
    expect(await found.json()).toEqual(json);
    expect((await send("GET", `/v2/store/order/${id}`)).status).toBe(id === 1 ? 200 : 400);
  }
});

test.each([
  ["a body that is no object", "POST", "/api/v3/store/order", [], 400, "Invalid input"],
  ["fields at fault", "POST", "/api/v3/store/order", { quantity: "1" }, 422, "Validation exception"],
])("%s: %s %s %j is %i", async (_, method, path, json, code, message) => {
  const response = await send(method, path, { json });
  expect(await response.json()).toMatchObject({ code, type: "error", message });
});

test("an order is deleted without a body in the answer", async () => {
  await placeOrder({ id: 5002 });
  const response = await send("DELETE", "/api/v3/store/order/5002");
  expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([200, "", null]);
  expect((await send("GET", "/api/v3/store/order/5002")).status).toBe(404);
});
