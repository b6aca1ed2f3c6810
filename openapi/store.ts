import { CHANGED, INVALID_ID, KEY_TAKEN, done, integer, parameter, returns, type Operation } from "./operation.ts";

const NEW_ORDER = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
};
const ORDER = { id: 1, ...NEW_ORDER };

const orderId = parameter("orderId", "Id of the order. Other integers are 404.", integer(1), 1);

const NOT_FOUND = { ...INVALID_ID, 404: "Order not found" };

export const storeOperations: Readonly<Record<string, Operation>> = {
  getInventory: {
    at: "GET /store/inventory",
    summary: "Count the pets by status",
    success: returns("Inventory", { available: 7, pending: 2, sold: 1 }),
  },
  placeOrder: {
    at: "POST /store/order",
    summary: "Place an order for a pet",
    description: "An order without an id gets the lowest free id from 1 to 10, or else the next one from 11.",
    access: "account",
    body: { schema: "NewOrder", example: NEW_ORDER },
    success: returns("Order", ORDER, "ETag", "Content-Location"),
    errors: { 400: "Invalid order", ...KEY_TAKEN },
  },
  getOrderById: {
    at: "GET /store/order/{orderId}",
    summary: "Find an order by its id",
    description: "Only the ids 1 to 10 can be looked up here; `/api/v3` finds any order.",
    access: "owner",
    parameters: [parameter("orderId", "Id of the order, from 1 to 10.", integer(1, 10), 1)],
    success: returns("Order", ORDER, "ETag"),
    errors: NOT_FOUND,
    petstore3: { description: "Finds any order; `/v2` finds only the ids 1 to 10.", parameters: [orderId] },
  },
  deleteOrder: {
    at: "DELETE /store/order/{orderId}",
    summary: "Delete an order",
    access: "owner",
    parameters: [orderId],
    success: done("1"),
    errors: { ...NOT_FOUND, ...CHANGED },
  },
};
