import type { HeaderName } from "./headers.ts";
import { done, integer, parameter, ref } from "./operation.ts";
import type { Operation } from "./operation.ts";

const NEW_ORDER = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
};

const shown = (...headers: readonly HeaderName[]) => ({
  schema: ref("Order"),
  headers: ["ETag", ...headers] as const,
  example: { id: 1, ...NEW_ORDER },
});

const orderId = parameter("orderId", "Id of the order. Other integers are 404.", integer(1), 1);

const NOT_FOUND = { 400: "Invalid ID supplied", 404: "Order not found" };

export const storeOperations: Readonly<Record<string, Operation>> = {
  getInventory: {
    at: "GET /store/inventory",
    summary: "Count the pets by status",
    success: { schema: ref("Inventory"), example: { available: 7, pending: 2, sold: 1 } },
    errors: {},
  },
  placeOrder: {
    at: "POST /store/order",
    summary: "Place an order for a pet",
    description: "An order without an id gets the lowest free id from 1 to 10, or else the next one from 11.",
    access: "account",
    body: { schema: "NewOrder", example: NEW_ORDER },
    success: shown("Content-Location"),
    errors: { 400: "Invalid order", 422: "The idempotency key is taken" },
  },
  getOrderById: {
    at: "GET /store/order/{orderId}",
    summary: "Find an order by its id",
    description: "Only the ids 1 to 10 can be looked up here; `/api/v3` finds any order.",
    access: "owner",
    parameters: [parameter("orderId", "Id of the order, from 1 to 10.", integer(1, 10), 1)],
    success: shown(),
    errors: NOT_FOUND,
    petstore3: {
      description: "Finds any order; `/v2` finds only the ids 1 to 10.",
      parameters: [orderId],
    },
  },
  deleteOrder: {
    at: "DELETE /store/order/{orderId}",
    summary: "Delete an order",
    access: "owner",
    parameters: [orderId],
    success: done("1"),
    errors: { ...NOT_FOUND, 412: "Precondition failed" },
    petstore3: { success: {} },
  },
};
