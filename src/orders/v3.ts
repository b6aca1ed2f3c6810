import { json } from "../http/body.ts";
import { INVALID_INPUT, VALIDATION_EXCEPTION } from "../http/petstore3.ts";
import { PathId } from "../http/schemas.ts";
import { createStoreRoutes } from "./routes.ts";
import { NewOrder } from "./schemas.ts";

/** The operations on the inventory and on orders, below `/api/v3/store`. */
export const storeRoutes = createStoreRoutes({
  contentLocation: (id) => `/api/v3/store/order/${id}`,
  orderBody: json(NewOrder, VALIDATION_EXCEPTION, { byField: { body: INVALID_INPUT } }),
  idInUse: [409, "Duplicate order"],
  lookupId: PathId,
  sendDeleted: (c) => c.body(null),
});
