import { Hono } from "hono/tiny";
import { authenticated, ownerOnly } from "../http/access.ts";
import { json } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { conditional } from "../http/etag.ts";
import { operation } from "../http/operation.ts";
import { apiResponse, getCreation, rowOrThrow, sendResource, validateIdempotencyKey } from "../http/resource.ts";
import { PathId } from "../http/schemas.ts";
import { sendJson } from "../http/send-json.ts";
import { param } from "../http/validate.ts";
import { countPets } from "../pets/queries.ts";
import { NOT_FOUND, deleteOrderOrThrow, getOrderOrThrow } from "./handlers.ts";
import { createOrder, toOrder } from "./queries.ts";
import { LookupId, MAX_LOOKUP_ID, NewOrder } from "./schemas.ts";

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const INVALID_ORDER = [400, "Invalid order"] as const;

const orderParam = param({ orderId: PathId }, INVALID_ID);
const lookupParam = param({ orderId: LookupId }, INVALID_ID);
const orderBody = json(NewOrder, INVALID_ORDER);

/** The operations on the inventory and on orders, below `/v2/store`. */
export const storeRoutes = new Hono<AppEnv>()
  .get("/inventory", operation("getInventory"), async (c) => sendJson(c, await countPets(c.get("db"))))
  .post("/order", operation("placeOrder"), authenticated, orderBody, validateIdempotencyKey, async (c) => {
    const created = await createOrder(c.get("db"), c.req.valid("json"), getCreation(c));
    const row = rowOrThrow(created, INVALID_ORDER);
    return sendResource(c, row, toOrder, row.id <= MAX_LOOKUP_ID ? `/v2/store/order/${row.id}` : undefined);
  })
  .get("/order/:orderId", operation("getOrderById", NOT_FOUND), ownerOnly, lookupParam, conditional, async (c) => {
    return sendResource(c, await getOrderOrThrow(c, c.req.valid("param").orderId), toOrder);
  })
  .delete("/order/:orderId", operation("deleteOrder", NOT_FOUND), ownerOnly, orderParam, conditional, async (c) => {
    const { orderId } = c.req.valid("param");
    await deleteOrderOrThrow(c, orderId);
    return sendJson(c, apiResponse(String(orderId)));
  });
