import * as v from "valibot";
import { operation } from "../http/operation.ts";
import type { Operation } from "../http/operation.ts";
import { BoundedArray, JsonObject, OneOf, optionalMember } from "../http/schemas.ts";
import { NewPet, Pet } from "../pet/pet.ts";
import { NewOrder, Order } from "../store/order.ts";
import { NewUser, User } from "../user/user.ts";

/** The largest number of pets, of orders and of users that a request can put into a sandbox. */
const MAX_RESOURCES = 1000;

/** The largest number of tags of all pets: each is a row. */
const MAX_TAGS = 5000;

/** Limits of a body with the data of a sandbox. */
const DATA_BODY = { maxBytes: 2 * 1024 * 1024, maxValues: 200_000 } as const;

const SETS = ["empty", "classic"] as const;

/** The data of a sandbox: a named set, or its resources. */
export const Data = v.pipe(
  JsonObject({
    data: optionalMember(OneOf(SETS)),
    pets: optionalMember(
      v.pipe(
        BoundedArray(NewPet, MAX_RESOURCES, "pets"),
        v.check(
          (pets) => pets.reduce((sum, { tags = [] }) => sum + tags.length, 0) <= MAX_TAGS,
          `must have at most ${MAX_TAGS} tags in all`,
        ),
      ),
    ),
    orders: optionalMember(BoundedArray(NewOrder, MAX_RESOURCES, "orders")),
    users: optionalMember(BoundedArray(NewUser, MAX_RESOURCES, "users")),
  }),
  v.check(
    ({ data, pets, orders, users }) => data === undefined || !(pets ?? orders ?? users),
    "must have either data, or pets, orders and users",
  ),
);
export type Data = v.InferOutput<typeof Data>;

/** The same, but required. */
export const StatedData = v.pipe(
  Data,
  v.check(
    ({ data, pets, orders, users }) => (data ?? pets ?? orders ?? users) !== undefined,
    "must have data, pets, orders or users",
  ),
);

/** All that a sandbox holds. */
const Content = v.object({ pets: v.array(Pet), orders: v.array(Order), users: v.array(User) });
export type Content = v.InferOutput<typeof Content>;

const INVALID_DATA = [400, "Invalid data"] as const;
export const UNKNOWN_SANDBOX = [404, "Store not found"] as const;

/** What most operations on a sandbox have in common. */
export const onSandbox = {
  access: "anyone",
  noStore: true,
  params: v.object({ store: v.string() }),
  errors: { invalidParameter: UNKNOWN_SANDBOX, missing: UNKNOWN_SANDBOX },
} as const satisfies Partial<Operation>;

const Place = { store: v.string(), url: v.string(), expiresAt: v.string() };

/** Makes a sandbox under a random name. */
export const makeStore = operation({
  id: "makeStore",
  access: "anyone",
  noStore: true,
  body: { schema: Data, optional: true, ...DATA_BODY },
  success: v.object(Place),
  errors: { malformed: INVALID_DATA, invalid: INVALID_DATA },
});

/** Describes a sandbox. */
export const getStore = operation({
  ...onSandbox,
  id: "getStore",
  success: v.object({
    ...Place,
    madeAt: v.string(),
    pets: v.number(),
    orders: v.number(),
    users: v.number(),
    bytes: v.number(),
  }),
});

/** Deletes a sandbox and all that it holds. */
export const deleteStore = operation({
  ...onSandbox,
  id: "deleteStore",
  success: v.undefined(),
});

/** Reads all that a sandbox holds. */
export const getStoreData = operation({
  ...onSandbox,
  id: "getStoreData",
  success: Content,
});

/** Replaces everything that a sandbox holds. */
export const putStoreData = operation({
  ...onSandbox,
  id: "putStoreData",
  body: { schema: StatedData, ...DATA_BODY },
  success: v.undefined(),
  errors: {
    ...onSandbox.errors,
    malformed: INVALID_DATA,
    invalid: INVALID_DATA,
    duplicate: INVALID_DATA,
  },
});
