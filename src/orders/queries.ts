import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { conditionValues, matchesConditions, type Conditions } from "../db/conditions.ts";
import { conflictsWith, createRow, creationColumns, nextId, type Conflict, type Creation } from "../db/creation.ts";
import { placeholders, prepareOnce } from "../db/prepared.ts";
import { retry } from "../db/retry.ts";
import { orders } from "../db/schema.ts";
import type { NewOrder, Order } from "./schemas.ts";

export type OrderRow = typeof orders.$inferSelect;

/** Converts an order to the form of both APIs. Absent fields are left out of the JSON. */
export const toOrder = (row: Order) => ({
  id: row.id,
  petId: row.petId ?? undefined,
  quantity: row.quantity ?? undefined,
  shipDate: row.shipDate ?? undefined,
  status: row.status ?? undefined,
  complete: row.complete ?? undefined,
});

/** SQL for the lowest free ID from 1 to 10, because only these can be looked up in `/v2`; otherwise the next from 11 on. */
export const nextOrderId = sql<number>`coalesce(
  (select min(value) from json_each('[1,2,3,4,5,6,7,8,9,10]')
    where value not in (select ${orders.id} from ${orders} where ${orders.id} <= 10)),
  ${nextId("orders")}
)`;

const { id: _id, version: _version, ...columns } = getTableColumns(orders);

const insertOrder = prepareOnce((db) =>
  db
    .insert(orders)
    .values({ ...placeholders(columns), id: sql`coalesce(${sql.placeholder("id")}, ${nextOrderId})` })
    .onConflictDoNothing()
    // Only the generated columns: the others are already in memory.
    .returning({ id: orders.id, version: orders.version })
    .prepare(),
);

/** Stores a new order, with a generated ID if it has none. Returns the stored order if the request is a repetition. */
export async function createOrder(db: Database, order: NewOrder, creation: Creation): Promise<OrderRow | Conflict> {
  const origin = await creationColumns(creation, order);
  const row = { ...order, ...origin };
  return createRow("orders", order.id, origin, {
    async insert() {
      const created = await insertOrder(db).get(row);
      return created && { ...row, ...created };
    },
    find: async () =>
      db
        .select()
        .from(orders)
        .where(conflictsWith(creation, order.id, orders)),
    isSame: (stored) => JSON.stringify(toOrder(stored)) === JSON.stringify(toOrder({ ...order, id: stored.id })),
  });
}

const selectById = prepareOnce((db) =>
  db
    .select()
    .from(orders)
    .where(eq(orders.id, sql.placeholder("id")))
    .prepare(),
);

/** Finds the order with this ID. */
export async function findOrder(db: Database, id: number): Promise<OrderRow | undefined> {
  return retry(async () => selectById(db).get({ id }));
}

const deleteById = prepareOnce((db) =>
  db
    .delete(orders)
    .where(and(eq(orders.id, sql.placeholder("id")), matchesConditions(orders)))
    .returning({ id: orders.id })
    .prepare(),
);

/** Deletes an order. Returns `undefined` if no order with this ID matches the conditions. */
export async function deleteOrder(
  db: Database,
  id: number,
  conditions: Conditions,
): Promise<{ id: number } | undefined> {
  return retry(async () => deleteById(db).get({ id, ...conditionValues(conditions) }), 1);
}
