import { done, returns, type Parameters, type Text } from "./texts.ts";

export const NEW_ORDER = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
};
const ORDER = { id: 1, ...NEW_ORDER };

export const storeParameters: Parameters = {
  orderId: ["Id of the order. Other integers are 404.", 1],
};

export const storeTexts: Readonly<Record<string, Text>> = {
  getInventory: {
    summary: "Count the pets by status",
    success: returns("Inventory", { available: 7, pending: 2, sold: 1 }),
  },
  placeOrder: {
    summary: "Place an order for a pet",
    description: "An order without an id gets the lowest free id from 1 to 10, or else the next one from 11.",
    example: NEW_ORDER,
    success: returns("Order", ORDER, "ETag"),
  },
  getOrderById: {
    summary: "Find an order by its id",
    description: "Only the ids 1 to 10 can be looked up here; `/api/v3` finds any order.",
    parameters: { orderId: ["Id of the order, from 1 to 10.", 1] },
    success: returns("Order", ORDER, "ETag"),
    petstore3: { description: "Finds any order; `/v2` finds only the ids 1 to 10.", parameters: {} },
  },
  deleteOrder: {
    summary: "Delete an order",
    success: done("1"),
    petstore3: { success: {} },
  },
};
