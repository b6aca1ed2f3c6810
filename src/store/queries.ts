import { and, eq, or, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { meets, type Conditions } from "../db/conditions.ts";
import { conflictOf, nextId, sameKey, type Creation } from "../db/creation.ts";
import { orders } from "../db/schema.ts";
import { retry } from "../retry.ts";
import { sha256 } from "../sha256.ts";
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

/**
 * Stores a new order, with a free id if it has none. A repetition gives the order that is stored.
 * @returns "taken" if another order has its id, "other body" if its idempotency key came with another order before
 */
export async function createOrder(
  db: Database,
  order: NewOrder,
  creation: Creation,
): Promise<OrderRow | "taken" | "other body"> {
  const { owner, idempotencyKey } = creation;
  const idempotencyHash = idempotencyKey && (await sha256(JSON.stringify(order)));
  const insert = async () =>
    db
      .insert(orders)
      .values({ ...order, id: order.id ?? nextOrderId, owner, idempotencyKey, idempotencyHash })
      .onConflictDoNothing()
      // As with pets, the body has the other columns.
      .returning({ id: orders.id, version: orders.version });
  const isRepeatable = order.id !== null || idempotencyKey !== null;
  const [created] = await (isRepeatable ? retry(insert) : insert());
  if (created) return { ...order, owner, idempotencyKey, idempotencyHash, ...created };
  if (!isRepeatable) throw new Error("the next id is taken");
  const conflicts = await retry(() =>
    db
      .select()
      .from(orders)
      // No row has the id 0.
      .where(or(sameKey(creation, orders), eq(orders.id, order.id ?? 0))),
  );
  const isSame = (row: OrderRow) => JSON.stringify(orderOf(row)) === JSON.stringify(orderOf({ ...order, id: row.id }));
  // Without a conflict, the row that was in the way has gone: try again.
  return conflictOf(conflicts, creation, idempotencyHash, isSame) ?? createOrder(db, order, creation);
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
  return db
    .delete(orders)
    .where(and(eq(orders.id, id), meets(conditions, orders)))
    .returning({ id: orders.id })
    .get();
}
