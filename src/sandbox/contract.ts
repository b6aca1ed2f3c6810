import * as v from "valibot";
import { operation } from "../http/operation.ts";
import type { Operation } from "../http/operation.ts";
import { BoundedArray, JsonObject, expected, optionalMember } from "../http/schemas.ts";
import { NewPet, Pet } from "../pet/contract.ts";
import { NewOrder, Order } from "../store/contract.ts";
import { NewUser, User } from "../user/contract.ts";

/** The largest number of pets, of orders and of users that a request can put into a sandbox. */
const MAX_RESOURCES = 1000;

/** The largest number of tags of its pets in all: each is a row. */
const MAX_TAGS = 5000;

/** Limits of a body with the data of a sandbox. */
const DATA_BODY = { maxBytes: 2 * 1024 * 1024, maxValues: 200_000, invalid: 400 } as const;

const SETS = ["empty", "classic"] as const;

/** The data of a sandbox: a set with a name, or what it holds. */
export const Data = v.pipe(
  JsonObject({
    data: optionalMember(v.picklist(SETS, `must be one of ${SETS.join(", ")}`)),
    pets: optionalMember(BoundedArray(NewPet, MAX_RESOURCES, "pets")),
    orders: optionalMember(BoundedArray(NewOrder, MAX_RESOURCES, "orders")),
    users: optionalMember(BoundedArray(NewUser, MAX_RESOURCES, "users")),
  }),
  v.check(
    ({ data, pets, orders, users }) => data === undefined || !(pets ?? orders ?? users),
    "must have either data, or pets, orders and users",
  ),
  v.forward(
    v.check(
      ({ pets = [] }) => pets.reduce((sum, { tags = [] }) => sum + tags.length, 0) <= MAX_TAGS,
      `must have at most ${MAX_TAGS} tags in all`,
    ),
    ["pets"],
  ),
);
export type Data = v.InferOutput<typeof Data>;

/** The same, but the data is required. */
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

/** What most operations on a sandbox have. */
const onSandbox = {
  access: "anyone",
  noStore: true,
  params: v.object({ store: v.string() }),
  errors: { 404: "Store not found" },
} as const satisfies Partial<Operation>;

const Place = { store: v.string(), url: v.string(), expiresAt: v.string() };

export const makeStore = operation({
  id: "makeStore",
  access: "anyone",
  noStore: true,
  summary: "Make a store under a random name",
  body: { schema: Data, optional: true, ...DATA_BODY },
  success: v.object(Place),
  errors: { 400: "Invalid data" },
});

export const getStore = operation({
  ...onSandbox,
  id: "getStore",
  summary: "Describe a store",
  success: v.object({
    ...Place,
    madeAt: v.string(),
    pets: v.number(),
    orders: v.number(),
    users: v.number(),
    bytes: v.number(),
  }),
});

export const deleteStore = operation({
  ...onSandbox,
  id: "deleteStore",
  summary: "Delete a store and all that it holds",
  success: v.undefined(),
});

export const getStoreData = operation({
  ...onSandbox,
  id: "getStoreData",
  summary: "Read all that a store holds",
  success: Content,
});

export const putStoreData = operation({
  ...onSandbox,
  id: "putStoreData",
  summary: "Put a store into a known state, whatever it held",
  body: { schema: StatedData, ...DATA_BODY },
  success: v.undefined(),
  errors: { 400: "Invalid data" },
});

export const getStoreRequests = operation({
  ...onSandbox,
  id: "getStoreRequests",
  summary: "The last requests to a store, newest first; a WebSocket gets each as it comes",
  success: v.array(v.unknown()),
});

/** The largest number of rules of a sandbox. */
const MAX_RULES = 100;

/** Longest delay, in milliseconds. */
const MAX_DELAY_MS = 30_000;

const between = (least: number, most: number) =>
  v.pipe(
    v.number(expected("an integer")),
    v.integer(`must be an integer from ${least} to ${most}`),
    v.minValue(least, `must be an integer from ${least} to ${most}`),
    v.maxValue(most, `must be an integer from ${least} to ${most}`),
  );

const Name = v.pipe(
  v.string(expected("a string")),
  v.nonEmpty("must not be empty"),
  v.maxLength(256, "must have at most 256 characters"),
);

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

/** A rule that makes requests to a sandbox fail, so that people can test how their client reacts. */
export const FaultRule = v.pipe(
  v.strictObject(
    {
      // The next three say which requests the rule is for. Without them, it is for all.
      operationId: v.optional(Name),
      method: v.optional(v.picklist(METHODS, `must be one of ${METHODS.join(", ")}`)),
      /** Below the base path: `/pet/1`, or the path of the document, `/pet/{petId}`. */
      path: v.optional(v.pipe(Name, v.startsWith("/", "must begin with /"))),
      /** How many times the rule is used. Without it, the rule is used until the rules are replaced. */
      times: v.optional(between(1, 1_000_000)),
      /** With 3, the rule is used for every third of these requests. Default: 1, for each of them. */
      every: v.optional(between(1, 1_000_000)),
      /** How many milliseconds the answer is delayed. */
      delayMs: v.optional(between(1, MAX_DELAY_MS)),
      /** The status of the error. */
      status: v.optional(between(400, 599)),
      /**
       * With `true`, the service does the request and then answers the error. Otherwise, it does not do the request.
       */
      after: v.optional(v.boolean(expected("a boolean"))),
      /** The error's `Retry-After`, in seconds. */
      retryAfter: v.optional(between(0, 86_400)),
    },
    (issue) => (issue.expected === "never" ? "is no member of a rule" : expected("a rule")(issue)),
  ),
  v.check(
    ({ status, delayMs }) => (status ?? delayMs) !== undefined,
    "must have a status or a delayMs",
  ),
  v.check(
    ({ status, after, retryAfter }) =>
      status !== undefined || (after === undefined && retryAfter === undefined),
    "must have a status if it has after or retryAfter",
  ),
);

export type FaultRule = v.InferOutput<typeof FaultRule>;

export const FaultRules = BoundedArray(
  FaultRule,
  MAX_RULES,
  "rules",
  expected("an array of rules"),
);

export const putStoreFaults = operation({
  ...onSandbox,
  id: "putStoreFaults",
  summary: "Make answers of a store fail, by rules",
  body: { schema: FaultRules, maxValues: 4000, invalid: 400 },
  success: v.undefined(),
  errors: { 400: "Invalid rules" },
});

export const getStoreFaults = operation({
  ...onSandbox,
  id: "getStoreFaults",
  summary: "The rules of a store, with what is left of them",
  success: v.array(v.unknown()),
});

export const deleteStoreFaults = operation({
  ...onSandbox,
  id: "deleteStoreFaults",
  summary: "End the rules of a store",
  success: v.undefined(),
});
