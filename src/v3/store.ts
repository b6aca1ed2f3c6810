import { storeRoutes } from "../http/store.ts";
import { json } from "../middleware/body.ts";
import { PathId } from "../schemas.ts";
import { NewOrder } from "../store/schemas.ts";
import { INVALID_INPUT, VALIDATION_EXCEPTION } from "./answers.ts";

/** The operations on the inventory and on orders, below `/api/v3/store`. */
export const store = storeRoutes({
  path: "/api/v3/store/order",
  newOrder: json(NewOrder, VALIDATION_EXCEPTION, { body: INVALID_INPUT }),
  taken: [409, "Duplicate order"],
  lookUpId: PathId,
  sendDeleted: (c) => c.body(null),
});
