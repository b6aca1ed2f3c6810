import * as v from "valibot";
import { json } from "../http/body.ts";
import { apiResponse } from "../http/petstore2.ts";
import { sendJson } from "../http/send-json.ts";
import { createStoreRoutes } from "./routes.ts";
import { LookupId, NewOrder } from "./schemas.ts";

const INVALID_ORDER = [400, "Invalid order"] as const;

/** The operations on the inventory and on orders, below `/v2/store`. */
export const storeRoutes = createStoreRoutes({
  contentLocation: (id) => (v.is(LookupId, String(id)) ? `/v2/store/order/${id}` : undefined),
  orderBody: json(NewOrder, INVALID_ORDER),
  idInUse: INVALID_ORDER,
  lookupId: LookupId,
  sendDeleted: (c, id) => sendJson(c, apiResponse(String(id))),
});
