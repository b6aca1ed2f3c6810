import { eq } from "drizzle-orm";
import * as v from "valibot";
import { batch } from "../db/client.ts";
import type { Database } from "../db/client.ts";
import { idSequences, orders, pets, users } from "../db/schema.ts";
import { petOf } from "../pet/queries.ts";
import { NewPet } from "../pet/schemas.ts";
import { retry } from "../retry.ts";
import { NotArray, expected } from "../schemas.ts";
import { orderOf } from "../store/queries.ts";
import { NewOrder } from "../store/schemas.ts";
import { openPassword, sealPassword } from "../user/passwords.ts";
import { userOf } from "../user/queries.ts";
import { NewUser } from "../user/schemas.ts";
import { CLASSIC } from "./seed.ts";

/** The largest body with data, in bytes. */
export const MAX_DATA_BYTES = 2 * 1024 * 1024;

/** The most pets, orders or users in a body. */
const MAX_RESOURCES = 1000;

/** Rows of one INSERT: D1 takes 100 parameters, and a user has nine. */
const ROWS_AT_ONCE = 10;

/** The message for an unknown member, or for a value that is no object. */
export const onlyMembers = (issue: v.StrictObjectIssue) =>
  issue.expected === "never" ? "is not a member" : expected("an object")(issue);

/** An absent list is empty. The length is checked first. */
const listOf = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(
    v.nullish(v.array(v.unknown(), expected("an array")), []),
    v.maxLength(MAX_RESOURCES, `must have at most ${MAX_RESOURCES} items`),
    v.array(v.pipe(NotArray, item)),
  );

/** Refuses a value of this member that an earlier item has. */
const unique = <Item extends object>(member: keyof Item & string) =>
  v.rawCheck<Item[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const items = dataset.value;
    const seen = new Set<unknown>();
    for (const [key, item] of items.entries()) {
      const value = item[member];
      if (value !== null && seen.has(value)) {
        const at = { type: "unknown", origin: "value", input: items, key, value: item } as const;
        const of = { ...at, input: item, key: member, value };
        addIssue({ message: "is taken by another one", path: [at, of] });
      }
      seen.add(value);
    }
  });

const Resources = v.strictObject(
  {
    pets: v.pipe(listOf(NewPet), unique<NewPet>("id")),
    orders: v.pipe(listOf(NewOrder), unique<NewOrder>("id")),
    users: v.pipe(listOf(NewUser), unique<NewUser>("id"), unique<NewUser>("username")),
  },
  onlyMembers,
);

const SETS = ["classic", "empty"] as const;
const Named = v.strictObject(
  { data: v.picklist(SETS, `must be one of ${SETS.join(", ")}`) },
  onlyMembers,
);

const isNamed = (input: unknown) => typeof input === "object" && input !== null && "data" in input;

/** The data of a store: a named set, or its resources as `GET …/data` shows them. A union would lose `pets.0.name`. */
export const Data = v.pipe(
  NotArray,
  v.lazy((input) => (isNamed(input) ? Named : Resources)),
);
export type Data = v.InferOutput<typeof Data>;

/**
 * Replaces all pets, orders and users in one transaction. Generated ids start again.
 * @param keys for passwords
 */
export async function replaceData(
  db: Database,
  data: Data,
  keys: readonly string[],
): Promise<void> {
  const named = "data" in data ? v.parse(Resources, data.data === "classic" ? CLASSIC : {}) : data;
  const newUsers = await Promise.all(
    withIds(named.users).map(async ({ password, ...user }) => ({
      ...user,
      ...(await sealPassword(keys, password)),
    })),
  );
  await retry(() =>
    batch(db, [
      db.delete(pets),
      db.delete(orders),
      db.delete(users),
      db.update(idSequences).set({ next: 1 }),
      db.update(idSequences).set({ next: 11 }).where(eq(idSequences.resource, "orders")),
      ...chunks(withIds(named.pets)).map((rows) => db.insert(pets).values(rows)),
      ...chunks(withIds(named.orders)).map((rows) => db.insert(orders).values(rows)),
      ...chunks(newUsers).map((rows) => db.insert(users).values(rows)),
    ]),
  );
}

/** Gives each item without an id the lowest free one: for orders, those that can be looked up come first. */
function withIds<Item extends { readonly id: number | null }>(items: readonly Item[]) {
  const taken = new Set(items.map(({ id }) => id));
  let next = 0;
  return items.map((item) => {
    if (item.id !== null) return { ...item, id: item.id };
    do next++;
    while (taken.has(next));
    return { ...item, id: next };
  });
}

const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / ROWS_AT_ONCE) }, (_, index) =>
    items.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE),
  );

/** All pets, orders and users, as `replaceData` takes them. */
export async function readData(db: Database, keys: readonly string[]) {
  const [petRows, orderRows, userRows] = await retry(() =>
    batch(db, [
      db.select().from(pets).orderBy(pets.id),
      db.select().from(orders).orderBy(orders.id),
      db.select().from(users).orderBy(users.id),
    ]),
  );
  return {
    pets: petRows.map(petOf),
    orders: orderRows.map(orderOf),
    users: await Promise.all(
      userRows.map(async (row) => userOf({ ...row, password: await openPassword(keys, row) })),
    ),
  };
}
