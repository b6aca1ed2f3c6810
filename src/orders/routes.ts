import type { Context } from "hono";
import { Hono } from "hono/tiny";
import type { GenericSchema } from "valibot";
import { FORBIDDEN, authenticated, isForeign, ownerOnly } from "../http/access.ts";
import type { json } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError, type ErrorSpec } from "../http/errors.ts";
import { conditional, getConditions } from "../http/etag.ts";
import { operation } from "../http/operation.ts";
import { rowOrThrow, getCreation, validateIdempotencyKey, sendResource, writeError } from "../http/resource.ts";
import { PathId } from "../http/schemas.ts";
import { sendJson } from "../http/send-json.ts";
import { param } from "../http/validate.ts";
import { countPets } from "../pets/queries.ts";
import { createOrder, deleteOrder, findOrder, toOrder } from "./queries.ts";
import type { NewOrder } from "./schemas.ts";

/** What differs between the two APIs. */
interface StoreOptions<Deleted> {
  /** Returns the path of a new order, unless it cannot be looked up. */
  readonly contentLocation: (id: number) => string | undefined;
  readonly orderBody: ReturnType<typeof json<typeof NewOrder>>;
  /** The error if another order has the ID. */
  readonly idInUse: ErrorSpec;
  /** The IDs that can be looked up. */
  readonly lookupId: GenericSchema<string, number>;
  /** Sends the response to a deletion. */
  readonly sendDeleted: (c: Context<AppEnv>, id: number) => Deleted;
}

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const NOT_FOUND = [404, "Order not found"] as const;

/** Creates the routes for the inventory and orders. */
export function createStoreRoutes<Deleted extends Response>(options: StoreOptions<Deleted>) {
  const orderParam = param({ orderId: PathId }, INVALID_ID);
  const lookupParam = param({ orderId: options.lookupId }, INVALID_ID);
  return new Hono<AppEnv>()
    .get("/inventory", operation("getInventory"), async (c) => sendJson(c, await countPets(c.get("db"))))
    .post(
      "/order",
      operation("placeOrder", options.idInUse),
      authenticated,
      options.orderBody,
      validateIdempotencyKey,
      async (c) => {
        const created = await createOrder(c.get("db"), c.req.valid("json"), getCreation(c));
        const row = rowOrThrow(created, options.idInUse);
        return sendResource(c, row, toOrder, options.contentLocation(row.id));
      },
    )
    .get("/order/:orderId", operation("getOrderById", NOT_FOUND), ownerOnly, lookupParam, conditional, async (c) => {
      const row = await findOrder(c.get("db"), c.req.valid("param").orderId);
      if (!row) throw new ApiError(NOT_FOUND);
      if (isForeign(c, row)) throw new ApiError(FORBIDDEN);
      return sendResource(c, row, toOrder);
    })
    .delete("/order/:orderId", operation("deleteOrder", NOT_FOUND), ownerOnly, orderParam, conditional, async (c) => {
      const { orderId } = c.req.valid("param");
      const row = await deleteOrder(c.get("db"), orderId, getConditions(c));
      if (!row) throw writeError(c, await findOrder(c.get("db"), orderId), NOT_FOUND);
      return options.sendDeleted(c, orderId);
    });
}
