import * as v from "valibot";
import { operation } from "../http/operation.ts";
import type { Operation } from "../http/operation.ts";
import {
  BoundedArray,
  JsonObject,
  Paging,
  SingleParameter,
  expected,
  optionalMember,
} from "../http/schemas.ts";
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

/** Make a store under a random name. */
export const makeStore = operation({
  id: "makeStore",
  access: "anyone",
  noStore: true,
  body: { schema: Data, optional: true, ...DATA_BODY },
  success: v.object(Place),
  errors: { 400: "Invalid data" },
});

/** Describe a store. */
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

/** Delete a store and all that it holds. */
export const deleteStore = operation({
  ...onSandbox,
  id: "deleteStore",
  success: v.undefined(),
});

/** Read all that a store holds. */
export const getStoreData = operation({
  ...onSandbox,
  id: "getStoreData",
  success: Content,
});

/** Put a store into a known state, whatever it held. */
export const putStoreData = operation({
  ...onSandbox,
  id: "putStoreData",
  body: { schema: StatedData, ...DATA_BODY },
  success: v.undefined(),
  errors: { 400: "Invalid data" },
});

/** What operations on the record of requests have: it may have secrets, which no page elsewhere may read. */
const onRequests = {
  ...onSandbox,
  private: true,
  errors: { ...onSandbox.errors, 400: "Invalid request for the record", 403: "Forbidden" },
} as const satisfies Partial<Operation>;

const Filter = {
  operationId: v.optional(SingleParameter(v.string())),
  method: v.optional(SingleParameter(v.pipe(v.string(), v.regex(/^[A-Z]+$/, "must be a method")))),
  status: v.optional(
    SingleParameter(
      v.pipe(v.string(), v.regex(/^[1-5](?:\d\d|xx)$/, "must be a status, or such as 4xx")),
    ),
  ),
  ...Paging,
};

const FORMATS = ["json", "har", "curl", "test"] as const;

export type RequestFilter = v.InferOutput<v.ObjectSchema<typeof Filter, undefined>>;

/** The last requests to a store; a WebSocket gets each as it comes. */
export const getStoreRequests = operation({
  ...onRequests,
  id: "getStoreRequests",
  query: v.strictObject(
    {
      ...Filter,
      format: v.optional(
        SingleParameter(v.picklist(FORMATS, `must be one of ${FORMATS.join(", ")}`)),
      ),
    },
    "is unknown",
  ),
  success: v.array(v.unknown()),
});

/** Whether the record has only a line for each request, or all of it; and whether secrets are shown in it. */
const RecordMode = v.strictObject(
  {
    record: v.picklist(["lines", "full"], "must be one of lines, full"),
    secrets: optionalMember(v.boolean(expected("a boolean"))),
  },
  "must have only known members",
);
export type RecordMode = v.InferOutput<typeof RecordMode>;

/** Choose what the record of requests has. */
export const putStoreRequests = operation({
  ...onRequests,
  id: "putStoreRequests",
  body: { schema: RecordMode, invalid: 400 },
  success: v.undefined(),
});

/** Empty the record of requests. */
export const deleteStoreRequests = operation({
  ...onRequests,
  id: "deleteStoreRequests",
  success: v.undefined(),
});

/** The largest number of rules of a sandbox. */
const MAX_RULES = 100;

/** Longest delay, in milliseconds. */
const MAX_DELAY_MS = 30_000;

const between = (least: number, most: number) =>
  v.pipe(
    v.number(expected("an integer")),
    v.safeInteger(`must be an integer from ${least} to ${most}`),
    v.minValue(least, `must be an integer from ${least} to ${most}`),
    v.maxValue(most, `must be an integer from ${least} to ${most}`),
  );

const Name = v.pipe(
  v.string(expected("a string")),
  v.nonEmpty("must not be empty"),
  v.maxLength(256, "must have at most 256 characters"),
);

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

const BREAKS = ["body", "json"] as const;

const Range = v.strictTuple([between(0, MAX_DELAY_MS), between(0, MAX_DELAY_MS)]);
const DELAY_MESSAGE = `must be an integer from 1 to ${MAX_DELAY_MS}, or an array of the least and the most`;

const Count = optionalMember(between(0, Number.MAX_SAFE_INTEGER));

/** A rule that makes requests to a sandbox fail, so that people can test how their client reacts, and its counts. */
export const FaultState = v.pipe(
  v.strictObject(
    {
      // The next three say which requests the rule is for. Without them, it is for all.
      operationId: optionalMember(Name),
      method: optionalMember(v.picklist(METHODS, `must be one of ${METHODS.join(", ")}`)),
      /** Below the base path: `/pet/1`, or the path of the document, `/pet/{petId}`. */
      path: optionalMember(
        v.pipe(
          Name,
          v.regex(/^\//, "must begin with /"),
          v.regex(/^[^?#]*[^?#/]$/, "must have no ?, no # and no / at its end"),
        ),
      ),
      /** How many times the rule is used. Without it, the rule is used until the rules are replaced. */
      times: optionalMember(between(1, 1_000_000)),
      /** With 3, the rule is used for every third of these requests. Default: 1, for each of them. */
      every: optionalMember(between(1, 1_000_000)),
      /** The part of these requests that the rule is used for, from 0 to 1. Default: 1, for each of them. */
      chance: optionalMember(
        v.pipe(
          v.number(expected("a number")),
          v.check((chance) => chance >= 0 && chance <= 1, "must be from 0 to 1"),
        ),
      ),
      /** What `chance` and a range of delays are drawn from. Default: chosen at random. */
      seed: optionalMember(between(0, 2 ** 32 - 1)),
      /** How many milliseconds the answer is delayed, or the least and the most. */
      delayMs: optionalMember(
        v.pipe(
          v.union([between(1, MAX_DELAY_MS), Range], DELAY_MESSAGE),
          v.check((ms) => typeof ms === "number" || ms[0] <= ms[1], DELAY_MESSAGE),
        ),
      ),
      /** The status of the error. */
      status: optionalMember(between(400, 599)),
      /**
       * With `true`, the service does the request and then answers the error. Otherwise, it does not do the request.
       */
      after: optionalMember(v.boolean(expected("a boolean"))),
      /** The error's `Retry-After`, in seconds. */
      retryAfter: optionalMember(between(0, 86_400)),
      /** The error's body, in place of JSON. */
      body: optionalMember(v.string(expected("a string"))),
      /** `body`: the connection ends in the middle of the body. `json`: half of the body is all of it. */
      break: optionalMember(v.picklist(BREAKS, `must be one of ${BREAKS.join(", ")}`)),
      used: Count,
      met: Count,
      left: v.optional(v.unknown()),
    },
    (issue) => (issue.expected === "never" ? "is no member of a rule" : expected("a rule")(issue)),
  ),
  v.check(
    (rule) => (rule.status ?? rule.delayMs ?? rule.break) !== undefined,
    "must have a status, a delayMs or a break",
  ),
  v.check(
    ({ status, after, retryAfter, body }) =>
      status !== undefined || (after ?? retryAfter ?? body) === undefined,
    "must have a status if it has after, retryAfter or body",
  ),
  v.check(
    ({ seed, chance, delayMs }) =>
      seed === undefined || chance !== undefined || typeof delayMs === "object",
    "must have a chance or a range of delays if it has a seed",
  ),
  // oxlint-disable-next-line no-unused-vars -- what is left is shown, and follows from the others
  v.transform(({ used = 0, met = 0, left, ...rule }) => ({ rule, used, met })),
);

/** A rule, how many requests it was for (`met`), and how many of these it was used for. */
export type FaultState = v.InferOutput<typeof FaultState>;
export type FaultRule = FaultState["rule"];

export const FaultRules = BoundedArray(
  FaultState,
  MAX_RULES,
  "rules",
  expected("an array of rules"),
);

/** Make answers of a store fail, by rules. */
export const putStoreFaults = operation({
  ...onSandbox,
  id: "putStoreFaults",
  body: { schema: FaultRules, maxValues: 4000, invalid: 400 },
  success: v.undefined(),
  errors: { 400: "Invalid rules" },
});

/** The rules of a store, with what is left of them. */
export const getStoreFaults = operation({
  ...onSandbox,
  id: "getStoreFaults",
  success: v.array(v.unknown()),
});

/** End the rules of a store. */
export const deleteStoreFaults = operation({
  ...onSandbox,
  id: "deleteStoreFaults",
  success: v.undefined(),
});
