import { done, returns, type Parameters, type Text } from "./texts.ts";

export const NEW_ORDER = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
};
export const ORDER = { id: 1, ...NEW_ORDER };
export const INVENTORY = { available: 7, pending: 2, sold: 1 };

export const storeParameters: Parameters = {
  orderId: ["ID of the order. Returns 404 if no order has this ID.", ORDER.id],
};

export const storeTexts = {
  getInventory: {
    summary: "Count the pets by status",
    success: returns("Inventory", INVENTORY),
  },
  placeOrder: {
    summary: "Place an order for a pet",
    description:
      "An order without an ID gets the lowest free ID from 1 to 10, or the next ID from 11 if there is none.",
    example: NEW_ORDER,
    success: returns("Order", ORDER, "ETag"),
    petstore3: { success: returns("Order", ORDER, "ETag", "Content-Location") },
  },
  getOrderById: {
    summary: "Find an order by ID",
    description: "Only the IDs 1 to 10 can be looked up here; `/api/v3` finds any order.",
    parameters: { orderId: ["ID of the order, from 1 to 10.", ORDER.id] },
    success: returns("Order", ORDER, "ETag"),
    petstore3: { description: "Finds any order; `/v2` finds only the IDs 1 to 10.", parameters: {} },
  },
  deleteOrder: {
    summary: "Delete an order",
    success: done("1"),
    petstore3: { success: {} },
  },
} satisfies Readonly<Record<string, Text>>;
