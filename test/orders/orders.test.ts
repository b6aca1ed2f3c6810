import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { getJson, placeOrder, send } from "../client.ts";

const place = async (fields = {}) => (await placeOrder(fields)).id;

// Only orders 1 to 10 can be looked up.
beforeEach(async () => {
  await env.DB.exec("DELETE FROM orders WHERE id <= 10");
});

const FULL = { petId: 7, quantity: 2, shipDate: "2026-11-21T09:30:00.000+0000", status: "placed", complete: false };

describe("POST /store/order", () => {
  test.each([{}, FULL, { petId: -7, quantity: 0, status: "delivered", complete: true }])(
    "places %j, and returns it as sent",
    async (json) => {
      const response = await send("POST", "/v2/store/order", { json: { ...json, unknown: 1 } });
      expect(response.status).toBe(200);
      const order = await response.json<{ id: number }>();
      expect(order).toEqual({ id: order.id, ...json });
      const found = await send("GET", `/v2/store/order/${order.id}`);
      expect(await found.json()).toEqual(order);
      expect(found.headers.get("etag")).toBe(response.headers.get("etag"));
    },
  );

  // The formats of JavaScript, Java, Go, Python, and .NET.
  test.each([
    ..."2026-11-21T09:30:00.123Z 2026-11-21T09:30:00.000+0000 2024-03-01T10:00Z".split(" "),
    ..."2024-03-01T10:00:30.5+02:00 2026-11-21T09:30:00 2026-11-21T09:30 2024-02-29T23:59:59Z".split(" "),
    ..."0001-01-01T00:00:00Z 9999-12-31T23:59:59.123456789+14:00".split(" "),
    // RFC 3339 allows lowercase `t` and `z`.
    ..."2026-11-21t09:30:00z 2026-11-21T09:30z 2026-11-21t09:30:00.5+02:00 2026-11-21t09:30".split(" "),
  ])("accepts the shipDate %s, and returns it as sent", async (shipDate) => {
    const { id } = await placeOrder({ shipDate });
    expect(await getJson(`/v2/store/order/${id}`)).toEqual({ id, shipDate });
  });

  test.each([
    ..."tomorrow 2026-11-21 2026-1-2T09:30:00Z 2026-13-01T00:00:00Z 2026-11-31T00:00Z".split(" "),
    ..."1900-02-29T00:00:00Z 2026-11-21T24:00:00Z 2026-11-21T09:60:00Z 2026-11-21T09Z".split(" "),
    ..."2026-11-21T09:30:60Z 2026-11-21T09:30:61Z 2026-11-21T09:30:00.Z 2026-11-21T09:30:00.1234567890Z".split(" "),
    ..."2026-11-21T09:30.5Z 2026-11-21T09:30:00+25:00 ２０２６-11-21T09:30Z".split(" "),
    ..."|2026-11-21 09:30:00Z| 2026-11-21T09:30:00Z|2026-11-21T09:30:00Z\n".split("|"),
  ])("rejects the shipDate %j, and says what is accepted", async (shipDate) => {
    const response = await send("POST", "/v2/store/order", { json: { shipDate } });
    const { errors } = await response.json<{ errors: { path: string; message: string }[] }>();
    expect([response.status, errors.map(({ path }) => path)]).toEqual([400, ["shipDate"]]);
    expect(errors[0]?.message).toContain("ISO 8601 date-time");
  });

  test("with an ID in use returns the stored order for the same content, and rejects other content", async () => {
    const order = await placeOrder({ id: 5001, ...FULL });
    const again = await send("POST", "/v2/store/order", { json: { ...order, unknown: 1 } });
    expect([again.status, await again.json()]).toEqual([200, order]);
    for (const change of [{ quantity: 3 }, { complete: true }, { status: null }, { petId: 8 }]) {
      const rejected = await send("POST", "/v2/store/order", { json: { ...order, ...change } });
      expect(await rejected.json()).toMatchObject({
        code: 400,
        message: "Invalid order",
        errors: [{ path: "id", message: expect.stringContaining("in use") as string }],
      });
    }
  });

  test("generates the lowest free ID from 1 to 10 first, and then ascends from 11", async () => {
    await env.DB.exec("UPDATE id_sequences SET next = 11 WHERE resource = 'orders'");
    await env.DB.exec("DELETE FROM orders");
    const placeMany = async (count: number) => {
      const ids = [];
      for (let placed = 0; placed < count; placed++) ids.push(await place());
      return ids;
    };
    expect(await placeMany(12)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    for (const id of [7, 4, 11]) await send("DELETE", `/v2/store/order/${id}`);
    expect(await placeMany(3)).toEqual([4, 7, 13]);
    expect(await place({ id: 2 ** 53 - 1 })).toBe(2 ** 53 - 1);
    expect(await place({ id: 15 })).toBe(15);
    expect(await placeMany(2)).toEqual([14, 16]);
    for (const id of [1, 2, 3]) await send("DELETE", `/v2/store/order/${id}`);
    expect(await place({ id: 2 })).toBe(2);
    expect(await place({ id: null })).toBe(1);
    expect(await place({ id: 0 })).toBe(3);
    expect(await place()).toBe(17);
  });
});

describe("GET and DELETE /store/order/{orderId}", () => {
  test.each(["0", "11", "100", "-1", "9223372036854775808"])(
    "a lookup of %s returns 400, and names the alternatives",
    async (id) => {
      const response = await send("GET", `/v2/store/order/${id}`);
      const body = await response.json<{ errors: { message: string }[] }>();
      expect(body).toMatchObject({ code: 400, message: "Invalid ID supplied", errors: [{ path: "orderId" }] });
      expect(body.errors[0]?.message).toContain("DELETE");
      expect(body.errors[0]?.message).toContain("/api/v3/store/order/");
    },
  );

  test("an order above 10 can be deleted once", async () => {
    await placeOrder({ id: 5002 });
    expect((await send("GET", "/v2/store/order/5002")).status).toBe(400);
    const deleted = await send("DELETE", "/v2/store/order/5002");
    expect(await deleted.json()).toEqual({ code: 200, type: "unknown", message: "5002" });
    const again = await send("DELETE", "/v2/store/order/5002");
    expect(await again.json()).toEqual({ code: 404, type: "error", message: "Order not found" });
  });
});

test("/api/v3 returns any order, rejects an ID in use with 409, and deletes an order without a body", async () => {
  const order = await placeOrder({ id: 5003, ...FULL }, { base: "/api/v3" });
  expect(await getJson("/api/v3/store/order/5003")).toEqual(order);
  const rejected = await send("POST", "/api/v3/store/order", { json: { ...order, quantity: 3 } });
  expect(await rejected.json()).toMatchObject({ code: 409, message: "Duplicate order", errors: [{ path: "id" }] });
  const deleted = await send("DELETE", "/api/v3/store/order/5003");
  expect([deleted.status, await deleted.text()]).toEqual([200, ""]);
  expect((await send("GET", "/api/v3/store/order/5003")).status).toBe(404);
});
