import { Hono } from "hono/tiny";
import { authenticated, ownerOnly } from "../http/access.ts";
import { json } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { conditional } from "../http/etag.ts";
import { operation } from "../http/operation.ts";
import { getCreation, rowOrThrow, sendResource, validateIdempotencyKey } from "../http/resource.ts";
import { PathId } from "../http/schemas.ts";
import { sendJson } from "../http/send-json.ts";
import { param } from "../http/validate.ts";
import { countPets } from "../pets/queries.ts";
import { NOT_FOUND, deleteOrderOrThrow, getOrderOrThrow } from "./handlers.ts";
import { createOrder, toOrder } from "./queries.ts";
import { NewOrder } from "./schemas.ts";

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const INVALID_INPUT = [400, "Invalid input"] as const;
const DUPLICATE = [409, "Duplicate order"] as const;
const VALIDATION_EXCEPTION = [422, "Validation exception"] as const;

const orderParam = param({ orderId: PathId }, INVALID_ID);
const orderBody = json(NewOrder, VALIDATION_EXCEPTION, { byField: { body: INVALID_INPUT } });

/** The operations on the inventory and on orders, below `/api/v3/store`. */
export const storeRoutes = new Hono<AppEnv>()
  .get("/inventory", operation("getInventory"), async (c) => sendJson(c, await countPets(c.get("db"))))
  .post("/order", operation("placeOrder", DUPLICATE), authenticated, orderBody, validateIdempotencyKey, async (c) => {
    const created = await createOrder(c.get("db"), c.req.valid("json"), getCreation(c));
    const row = rowOrThrow(created, DUPLICATE);
    return sendResource(c, row, toOrder, `/api/v3/store/order/${row.id}`);
  })
  .get("/order/:orderId", operation("getOrderById", NOT_FOUND), ownerOnly, orderParam, conditional, async (c) => {
    return sendResource(c, await getOrderOrThrow(c, c.req.valid("param").orderId), toOrder);
  })
  .delete("/order/:orderId", operation("deleteOrder", NOT_FOUND), ownerOnly, orderParam, conditional, async (c) => {
    await deleteOrderOrThrow(c, c.req.valid("param").orderId);
    return c.body(null);
  });
