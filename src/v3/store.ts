import { Hono } from "hono";
import { etag } from "hono/etag";
import type { AppEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { FORBIDDEN, authenticated, isForeign } from "../middleware/auth.ts";
import { PRECONDITION_FAILED, conditionsOf, preconditions } from "../middleware/etag.ts";
import { json, param, smallBody } from "../middleware/validate.ts";
import { operation } from "../operation.ts";
import { countPets } from "../pet/queries.ts";
import { INVALID_KEY, KEY_REUSED, createdRow, creationOf, refusalOf, sendRow } from "../row.ts";
import { PathId } from "../schemas.ts";
import * as orders from "../store/queries.ts";
import { NewOrder } from "../store/schemas.ts";
import { INVALID_INPUT, VALIDATION_EXCEPTION } from "./answers.ts";

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const NOT_FOUND = [404, "Order not found"] as const;
const DUPLICATE = [409, "Duplicate order"] as const;
const newOrder = json(NewOrder, VALIDATION_EXCEPTION, { body: INVALID_INPUT });
const byId = param({ orderId: PathId }, INVALID_ID);

/** The operations on the inventory and on orders, below `/api/v3/store`. */
export const storeRoutes = new Hono<AppEnv>()
  .get("/inventory", operation("getInventory"), async (c) => c.json(await countPets(c.get("db"))))
  .post(
    "/order",
    operation("placeOrder", DUPLICATE, INVALID_KEY, KEY_REUSED),
    authenticated,
    smallBody,
    newOrder,
    async (c) => {
      const made = await orders.createOrder(c.get("db"), c.req.valid("json"), creationOf(c));
      const row = createdRow(made, DUPLICATE);
      return sendRow(c, row, orders.orderOf, `/api/v3/store/order/${row.id}`);
    },
  )
  .get(
    "/order/:orderId",
    operation("getOrderById", NOT_FOUND, FORBIDDEN),
    authenticated,
    byId,
    preconditions,
    etag(),
    async (c) => {
      const row = await orders.findOrder(c.get("db"), c.req.valid("param").orderId);
      if (!row) throw new ApiError(NOT_FOUND);
      if (isForeign(c, row)) throw new ApiError(FORBIDDEN);
      return sendRow(c, row, orders.orderOf);
    },
  )
  .delete(
    "/order/:orderId",
    operation("deleteOrder", NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED),
    authenticated,
    byId,
    preconditions,
    async (c) => {
      const { orderId: id } = c.req.valid("param");
      const row = await orders.deleteOrder(c.get("db"), id, conditionsOf(c));
      if (!row) throw refusalOf(c, await orders.findOrder(c.get("db"), id), NOT_FOUND);
      return c.body(null);
    },
  );
