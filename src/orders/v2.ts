import { storeRoutes } from "./routes.ts";
import { json } from "../http/body.ts";
import { LookUpId, NewOrder } from "./schemas.ts";
import { apiResponse } from "../http/petstore2.ts";

const INVALID_ORDER = [400, "Invalid order"] as const;

/** The operations on the inventory and on orders, below `/v2/store`. */
export const store = storeRoutes({
  path: "/v2/store/order",
  newOrder: json(NewOrder, INVALID_ORDER),
  taken: INVALID_ORDER,
  lookUpId: LookUpId,
  sendDeleted: (c, id) => c.json(apiResponse(String(id))),
});
