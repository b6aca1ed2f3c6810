import { eq } from "drizzle-orm";
import * as v from "valibot";
import { decryptPassword } from "../auth/passwords.ts";
import { batch, type Database } from "../db/client.ts";
import { sortChosenIdsFirst, nextId, findRepetitions } from "../db/creation.ts";
import { retry } from "../db/retry.ts";
import { idSequences, orders, pets, users } from "../db/schema.ts";
import { NotArray, boundedArray, issueAt, strictObject } from "../http/schemas.ts";
import { nextOrderId, toOrder } from "../orders/queries.ts";
import { NewOrder } from "../orders/schemas.ts";
import { toPet } from "../pets/queries.ts";
import { NewPet } from "../pets/schemas.ts";
import { toUser } from "../users/queries.ts";
import { NewUser } from "../users/schemas.ts";
import { toUserRows } from "../users/sign-up.ts";
import { CLASSIC } from "./seed.ts";

export const INVALID_DATA = [400, "Invalid data"] as const;

/** The maximum size of a body with data, in bytes. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** The maximum number of pets, orders, or users in a body. */
const MAX_RESOURCES = 1000;

/** An absent list is empty. */
const resourceList = <Item extends v.GenericSchema>(item: Item) =>
  v.nullish(boundedArray(item, MAX_RESOURCES, "items"), []);

/** Rejects an item that has the same value in a field as an earlier item. */
const unique = <Item extends object>(field: keyof Item & string) =>
  v.rawCheck<Item[]>(({ dataset, addIssue }) => {
    const items = dataset.typed ? dataset.value : [];
    for (const index of findRepetitions(items.map((item) => item[field]))) {
      addIssue(issueAt("is already in use by an earlier item", items, String(index), field));
    }
  });

const Resources = strictObject({
  pets: v.pipe(resourceList(NewPet), unique<NewPet>("id")),
  orders: v.pipe(resourceList(NewOrder), unique<NewOrder>("id")),
  users: v.pipe(resourceList(NewUser), unique<NewUser>("id"), unique<NewUser>("username")),
});

const Named = v.pipe(
  strictObject({ data: v.picklist(["classic", "empty"], "must be classic or empty") }),
  v.transform(({ data }): unknown => (data === "classic" ? CLASSIC : {})),
  Resources,
);

/** A named set, or resources as `GET …/data` returns them. A union would report the errors of both options. */
export const Data = v.pipe(
  NotArray,
  v.lazy((input) => ("data" in Object(input) ? Named : Resources)),
);
export type Data = v.InferOutput<typeof Data>;

/**
 * Replaces all pets, orders, and users in one transaction. Generated IDs start again.
 * @param keys the keys for passwords
 */
export async function replaceData(db: Database, data: Data, keys: readonly string[]): Promise<void> {
  const newUsers = await toUserRows(sortChosenIdsFirst(data.users), keys);
  const queries = [
    db.delete(pets),
    db.delete(orders),
    db.delete(users),
    db.update(idSequences).set({ next: 1 }),
    db.update(idSequences).set({ next: 11 }).where(eq(idSequences.resource, "orders")),
    ...sortChosenIdsFirst(data.pets).map((row) => db.insert(pets).values({ ...row, id: row.id ?? nextId("pets") })),
    ...sortChosenIdsFirst(data.orders).map((row) => db.insert(orders).values({ ...row, id: row.id ?? nextOrderId })),
    ...newUsers.map((row) => db.insert(users).values(row)),
  ];
  await retry(() => batch(db, queries));
}

/** Returns all pets, orders, and users, as `replaceData` accepts them. */
export async function readData(db: Database, keys: readonly string[]) {
  const [petRows, orderRows, userRows] = await retry(() =>
    batch(db, [
      db.select().from(pets).orderBy(pets.id),
      db.select().from(orders).orderBy(orders.id),
      db.select().from(users).orderBy(users.id),
    ]),
  );
  return {
    pets: petRows.map(toPet),
    orders: orderRows.map(toOrder),
    users: await Promise.all(
      userRows.map(async (row) => toUser({ ...row, password: await decryptPassword(keys, row) })),
    ),
  };
}
