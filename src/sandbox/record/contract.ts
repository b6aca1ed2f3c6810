import * as v from "valibot";
import { operation } from "../../http/operation.ts";
import type { Operation } from "../../http/operation.ts";
import { OneOf, Paging, SingleParameter, expected, optionalMember } from "../../http/schemas.ts";
import { onSandbox } from "../contract.ts";

const INVALID = [400, "Invalid request for the record"] as const;

/** What the operations on the record have in common. It may contain secrets, so no other origin may read it. */
const onRequests = {
  ...onSandbox,
  private: true,
  errors: { ...onSandbox.errors, invalidParameter: INVALID, foreign: [403, "Forbidden"] },
} as const satisfies Partial<Operation>;

const Filter = {
  id: Paging.after,
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

/** Lists the last requests to a sandbox. A WebSocket gets each request as it is answered. */
export const getStoreRequests = operation({
  ...onRequests,
  id: "getStoreRequests",
  query: v.strictObject(
    {
      ...Filter,
      format: v.optional(SingleParameter(OneOf(FORMATS))),
    },
    "is unknown",
  ),
  success: v.array(v.unknown()),
});

/** Whether requests are recorded in full or as lines, and whether secrets are shown. */
const RecordMode = v.strictObject(
  {
    record: OneOf(["lines", "full"]),
    secrets: optionalMember(v.boolean(expected("a boolean"))),
  },
  "must have only known members",
);
export type RecordMode = v.InferOutput<typeof RecordMode>;

/** Sets how requests are recorded. */
export const putStoreRequests = operation({
  ...onRequests,
  id: "putStoreRequests",
  body: { schema: RecordMode },
  success: v.undefined(),
  errors: { ...onRequests.errors, malformed: INVALID, invalid: INVALID },
});

/** Empties the record. */
export const deleteStoreRequests = operation({
  ...onRequests,
  id: "deleteStoreRequests",
  success: v.undefined(),
});
