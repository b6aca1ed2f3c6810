import { Hono, type Context } from "hono";
import { etag } from "hono/etag";
import type { GenericSchema } from "valibot";
import type { AppEnv } from "../http/env.ts";
import { ApiError, type Refusal } from "../http/errors.ts";
import { FORBIDDEN, authenticated, isForeign } from "../http/access.ts";
import { PRECONDITION_FAILED, conditionsOf, preconditions } from "../http/etag.ts";
import { type json } from "../http/body.ts";
import { smallBody } from "../http/body-limit.ts";
import { param } from "../http/validate.ts";
import { operation } from "../http/operation.ts";
import { countPets } from "../pets/queries.ts";
import { INVALID_KEY, KEY_REUSED, createdRow, creationOf, refusalOf, sendRow } from "../http/resource.ts";
import { PathId } from "../http/schemas.ts";
import * as orders from "./queries.ts";
import type { NewOrder } from "./schemas.ts";

/** What differs between the two interfaces. */
interface StoreOptions<Deleted> {
  /** The path of orders, for `Content-Location`. */
  readonly path: string;
  readonly newOrder: ReturnType<typeof json<typeof NewOrder>>;
  /** The refusal of an order whose id another one has. */
  readonly taken: Refusal;
  /** The ids that can be looked up. */
  readonly lookUpId: GenericSchema<string, number>;
  /** The answer to a deletion. */
  readonly sendDeleted: (c: Context<AppEnv>, id: number) => Deleted;
}

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const NOT_FOUND = [404, "Order not found"] as const;

/** The operations on the inventory and on orders. */
export function storeRoutes<Deleted extends Response>(options: StoreOptions<Deleted>) {
  const byId = param({ orderId: PathId }, INVALID_ID);
  const lookUp = param({ orderId: options.lookUpId }, INVALID_ID);
  return new Hono<AppEnv>()
    .get("/inventory", operation("getInventory"), async (c) => c.json(await countPets(c.get("db"))))
    .post(
      "/order",
      operation("placeOrder", options.taken, INVALID_KEY, KEY_REUSED),
      authenticated,
      smallBody,
      options.newOrder,
      async (c) => {
        const made = await orders.createOrder(c.get("db"), c.req.valid("json"), creationOf(c));
        const row = createdRow(made, options.taken);
        return sendRow(c, row, orders.orderOf, `${options.path}/${row.id}`);
      },
    )
    .get(
      "/order/:orderId",
      operation("getOrderById", NOT_FOUND, FORBIDDEN),
      authenticated,
      lookUp,
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
        return options.sendDeleted(c, id);
      },
    );
}
