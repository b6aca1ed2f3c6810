import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { Change, Database } from "../db/client.ts";
import type { Created } from "../db/claims.ts";
import { chosenIdsFirst, nextId } from "../db/ids.ts";
import { inventory, orders, users } from "../db/schema.ts";
import { columnsOf, rowsOf, statement } from "../db/statement.ts";
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

/** The members of an order: the columns of its row without these. */
type Member = Exclude<keyof Order | keyof OrderRow, "owner" | "version">;

function fromRow(row: OrderRow): StoredOrder {
  const order = {
    id: row.id,
    petId: row.petId ?? undefined,
    quantity: row.quantity ?? undefined,
    shipDate: row.shipDate ?? undefined,
    status: row.status ?? undefined,
    complete: row.complete === null ? undefined : row.complete === 1,
  } satisfies Record<Member, unknown>;
  return { order, version: row.version, owner: row.owner };
}

function toColumns(order: NewOrder, placer: Placer | null) {
  return {
    id: order.id ?? null,
    petId: order.petId ?? null,
    quantity: order.quantity ?? null,
    shipDate: order.shipDate ?? null,
    status: order.status ?? null,
    complete: order.complete === undefined ? null : Number(order.complete),
    owner: placer?.accountId ?? null,
  } satisfies Record<Member | "owner", unknown>;
}

type Columns = ReturnType<typeof toColumns>;

/** The lowest free id among those that can be looked up (interface §4.4). If none is free, the next id. */
const nextOrderId = (): SQL => sql`coalesce((
  select min(value) from json_each('[1,2,3,4,5,6,7,8,9,10]') where value not in (select ${orders.id} from ${orders} where ${orders.id} <= 10)
), ${nextId("orders")})`;

const quantities = statement(() => sql<typeof inventory.$inferSelect>`select * from ${inventory}`);

const orderById = statement(
  (p: { id: Parameter<number> }) =>
    sql<OrderRow>`select * from ${orders} where ${orders.id} = ${p.id}`,
);

/** Inserts nothing if the account was deleted or has another credential since the session was checked. */
const addOrder = statement(
  (p: ParametersOf<Columns & { userId: number | null; credentialId: string | null }>) =>
    sql<OrderRow>`insert into ${orders} ${rowsOf({
      ...columnsOf(orders, ["version"]),
      id: sql`coalesce(${p.id}, ${nextOrderId()})`,
    })}
      where ${p.userId} is null or exists (
        select 1 from ${users} where ${users.id} = ${p.userId} and ${users.credentialId} = ${p.credentialId}
      )
      on conflict do nothing returning *`,
);

const removeOrder = statement(
  (p: ParametersOf<{ id: number; versions: Versions; owner: string | null }>) =>
    sql<Pick<OrderRow, "id">>`delete from ${orders}
      where ${orders.id} = ${p.id}
        and ${isAllowed(orders.version, p.versions)}
        and (${p.owner} is null or ${orders.owner} = ${p.owner})
      returning "id"`,
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
 * @returns the order that has the id now: the new one, or the one that had it before
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
  const { inserted, row } = await db.insert(addOrder, values, orderById);
  return { ...fromRow(row), inserted };
}

/** Statements that store new orders that nobody owns. */
export function insertionsOfOrders(created: readonly NewOrder[]): readonly Bound<unknown>[] {
  return chosenIdsFirst(created).map((order) =>
    addOrder({ ...toColumns(order, null), userId: null, credentialId: null }),
  );
}

/** Every order: a statement, and a function that reads its rows. */
export const allOrders = {
  statement: statement(() => sql<OrderRow>`select * from ${orders} order by ${orders.id}`),
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
  return db.change(removeOrder, { id, versions, owner }, orderById({ id }), {
    repeatable: false,
    ...(owner !== null && {
      refusal: (found) => (found.owner === owner ? "changed" : "forbidden"),
    }),
  });
}
