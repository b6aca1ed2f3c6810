import { storeRoutes } from "./routes.ts";
import { json } from "../http/body.ts";
import { PathId } from "../http/schemas.ts";
import { NewOrder } from "./schemas.ts";
import { INVALID_INPUT, VALIDATION_EXCEPTION } from "../http/petstore3.ts";

/** The operations on the inventory and on orders, below `/api/v3/store`. */
export const store = storeRoutes({
  path: "/api/v3/store/order",
  newOrder: json(NewOrder, VALIDATION_EXCEPTION, { body: INVALID_INPUT }),
  taken: [409, "Duplicate order"],
  lookUpId: PathId,
  sendDeleted: (c) => c.body(null),
});
