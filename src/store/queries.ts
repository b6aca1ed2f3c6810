import { and, eq, exists, isNull, lte, or, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { Change, Database } from "../db/client.ts";
import type { Created } from "../db/claims.ts";
import { chosenIdsFirst, nextId } from "../db/ids.ts";
import { columnsOf, membersOf } from "../db/rows.ts";
import { firstVersion, inventory, orders, users } from "../db/schema.ts";
import { build, statement } from "../db/statement.ts";
import type { Bound, Parameter, ParametersOf } from "../db/statement.ts";
import { isAllowed } from "../db/versions.ts";
import type { Versions } from "../db/versions.ts";
import type { PetStatus } from "../pet/pet.ts";
import type { NewOrder, Order } from "./order.ts";

type OrderRow = typeof orders.$inferSelect;

/** An order with the version of its row. */
export interface StoredOrder {
  readonly order: Order;
  readonly version: number;
  /** The account that placed it. `null` if none did. */
  readonly owner: string | null;
}

function fromRow({ complete, owner, version, ...row }: OrderRow): StoredOrder {
  const order = {
    ...membersOf(row),
    complete: complete === null ? undefined : complete === 1,
  };
  return { order, version, owner };
}

function toColumns({ complete, ...order }: NewOrder, placer: Placer | null) {
  return columnsOf(orders, {
    ...order,
    complete: complete === undefined ? undefined : Number(complete),
    owner: placer?.accountId,
  });
}

type Columns = ReturnType<typeof toColumns>;

/** The lowest free id among those that can be looked up (interface §4.4). If none is free, the next id. */
const nextOrderId = (): SQL => {
  const taken = build.select({ id: orders.id }).from(orders).where(lte(orders.id, 10));
  return sql`coalesce(
    (select min(value) from json_each('[1,2,3,4,5,6,7,8,9,10]') where value not in ${taken}),
    ${nextId("orders")}
  )`;
};

const quantities = statement(() => build.select().from(inventory));

const orderById = statement((p: { id: Parameter<number> }) =>
  build.select().from(orders).where(eq(orders.id, p.id)),
);

/** Inserts nothing if the account was deleted or has another credential since the session was checked. */
const addOrder = statement(
  (p: ParametersOf<Columns & { userId: number | null; credentialId: string | null }>) => {
    const account = build
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, p.userId), eq(users.credentialId, p.credentialId)));
    return build
      .insert(orders)
      .select(
        build
          .select({
            id: sql`coalesce(${p.id}, ${nextOrderId()})`.as("id"),
            petId: sql`${p.petId}`.as("petId"),
            quantity: sql`${p.quantity}`.as("quantity"),
            shipDate: sql`${p.shipDate}`.as("shipDate"),
            status: sql`${p.status}`.as("status"),
            complete: sql`${p.complete}`.as("complete"),
            owner: sql`${p.owner}`.as("owner"),
            version: firstVersion.as("version"),
          })
          .from(sql`(select 1)`)
          .where(or(isNull(p.userId), exists(account))),
      )
      .onConflictDoNothing()
      .returning();
  },
);

const removeOrder = statement(
  (p: ParametersOf<{ id: number; versions: Versions; owner: string | null }>) =>
    build
      .delete(orders)
      .where(
        and(
          eq(orders.id, p.id),
          isAllowed(orders.version, p.versions),
          or(isNull(p.owner), eq(orders.owner, p.owner)),
        ),
      )
      .returning({ id: orders.id }),
);

/** Number of pets by status. */
export async function countPets(db: Database): Promise<Record<PetStatus, number>> {
  const counts = { available: 0, pending: 0, sold: 0 };
  for (const { status, quantity } of await db.read(quantities({}))) counts[status] = quantity;
  return counts;
}

/** The order with this id. */
export async function findOrder(db: Database, id: number): Promise<StoredOrder | undefined> {
  const [row] = await db.read(orderById({ id }));
  return row && fromRow(row);
}

/** An order as `insertOrder` returned it when it was new. */
export function newOrderAs(order: NewOrder, created: Created): StoredOrder {
  return fromRow({ ...toColumns(order, null), ...created });
}

/** The account that places an order, and the credential that it must still have. */
export interface Placer {
  readonly id: number;
  readonly accountId: string;
  readonly credentialId: string;
}

/**
 * Stores a new order, with the next free id if it has none.
 * @param placer who places it, if access is protected
 * @returns the order with this id: the new one, or the one that had it already
 * @throws Unavailable if the session of the placer ended in the meantime
 */
export async function insertOrder(
  db: Database,
  order: NewOrder,
  placer: Placer | null,
): Promise<StoredOrder & { readonly inserted: boolean }> {
  const values = {
    ...toColumns(order, placer),
    userId: placer?.id ?? null,
    credentialId: placer?.credentialId ?? null,
  };
  const { id } = order;
  const present = id === undefined ? undefined : orderById({ id });
  const { inserted, row } = await db.insert(addOrder(values), present);
  return { ...fromRow(row), inserted };
}

/** Statements that store new orders that nobody owns. */
export function insertionsOfOrders(created: readonly NewOrder[]): readonly Bound<unknown>[] {
  return chosenIdsFirst(created.map((order) => toColumns(order, null))).map((columns) =>
    addOrder({ ...columns, userId: null, credentialId: null }),
  );
}

/** Every order: a statement, and a function that reads its rows. */
export const allOrders = {
  statement: statement(() => build.select().from(orders).orderBy(orders.id)),
  fromRow,
};

/**
 * Deletes the order with this id, if its version is allowed.
 * @param owner the account that must have placed it; `null` if any account may
 * @returns "forbidden" if another account placed it
 */
export async function deleteOrder(
  db: Database,
  id: number,
  versions: Versions,
  owner: string | null,
): Promise<Change<{ id: number }> | "forbidden"> {
  return db.change(removeOrder({ id, versions, owner }), orderById({ id }), {
    versions,
    repeatable: false,
    ...(owner !== null && {
      refusal: (found) => (found.owner === owner ? "changed" : "forbidden"),
    }),
  });
}
