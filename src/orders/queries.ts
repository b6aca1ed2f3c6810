import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { meets, type Conditions } from "../db/conditions.ts";
import { columnsOf, createRow, isInTheWay, nextId, type Conflict, type Creation } from "../db/creation.ts";
import { orders } from "../db/schema.ts";
import { retry } from "../db/retry.ts";
import type { NewOrder, Order } from "./schemas.ts";

type OrderRow = typeof orders.$inferSelect;

/** An order as both interfaces show it: members that are not set are left out of its JSON. */
export const orderOf = (row: Order) => ({
  id: row.id,
  petId: row.petId ?? undefined,
  quantity: row.quantity ?? undefined,
  shipDate: row.shipDate ?? undefined,
  status: row.status ?? undefined,
  complete: row.complete ?? undefined,
});

/** The lowest free id from 1 to 10, because only those can be looked up in `/v2`; else the next one from 11 on. */
export const nextOrderId = sql<number>`coalesce(
  (select min(value) from json_each('[1,2,3,4,5,6,7,8,9,10]')
    where value not in (select ${orders.id} from ${orders} where ${orders.id} <= 10)),
  ${nextId("orders")}
)`;

/** Stores a new order, with a free id if it has none. A repetition gives the order that is stored. */
export async function createOrder(db: Database, order: NewOrder, creation: Creation): Promise<OrderRow | Conflict> {
  const origin = await columnsOf(creation, order);
  return createRow("orders", order.id, origin, {
    async insert() {
      const row = { ...order, ...origin };
      const [created] = await db
        .insert(orders)
        .values({ ...row, id: order.id ?? nextOrderId })
        .onConflictDoNothing()
        // As with pets, the row has the other columns.
        .returning({ id: orders.id, version: orders.version });
      return created && { ...row, ...created };
    },
    find: async () =>
      db
        .select()
        .from(orders)
        .where(isInTheWay(creation, order.id, orders)),
    isSame: (row) => JSON.stringify(orderOf(row)) === JSON.stringify(orderOf({ ...order, id: row.id })),
  });
}

/** The order with this id. */
export async function findOrder(db: Database, id: number): Promise<OrderRow | undefined> {
  return retry(async () => db.select().from(orders).where(eq(orders.id, id)).get());
}

/** Deletes an order. @returns `undefined` if none has this id and meets the conditions */
export async function deleteOrder(
  db: Database,
  id: number,
  conditions: Conditions,
): Promise<{ id: number } | undefined> {
  const remove = async () =>
    db
      .delete(orders)
      .where(and(eq(orders.id, id), meets(conditions, orders)))
      .returning({ id: orders.id })
      .get();
  return retry(remove, 1);
}
