import { changeFailure, fail, implement } from "../http/implement.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
import * as contract from "./contract.ts";
import * as queries from "./queries.ts";

export const getInventory = implement(contract.getInventory, async ({ db }) => ({
  body: await queries.countPets(db),
}));

export const placeOrder = implement(contract.placeOrder, async ({ body, db }) => {
  const { inserted, order, version } = await queries.insertOrder(db, body);
  // The same content again is a retry; other content must never overwrite.
  if (!inserted && !sameContent(order, body)) {
    return fail(400, [{ path: "id", message: "is taken by another order" }]);
  }
  return { body: order, version };
});

export const getOrderById = implement(contract.getOrderById, async ({ params, db }) => {
  const stored = await queries.findOrder(db, params.orderId);
  return stored ? { body: stored.order, version: stored.version } : fail(404);
});

export const deleteOrder = implement(contract.deleteOrder, async ({ params, db, ifMatch }) => {
  const deleted = await queries.deleteOrder(db, params.orderId, ifMatch);
  if (typeof deleted === "string") return changeFailure(deleted);
  return { body: apiResponse(String(deleted.id)) };
});
